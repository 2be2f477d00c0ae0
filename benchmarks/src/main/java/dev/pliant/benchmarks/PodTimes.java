package dev.pliant.benchmarks;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// When pods of workers came to be, by this machine's clock: the cluster's own times are whole
/// seconds.
final class PodTimes implements ResourceEventHandler<Pod>, AutoCloseable {
  private final Map<String, Double> made = new LinkedHashMap<>();
  private final SharedIndexInformer<Pod> informer;

  PodTimes(KubernetesClient client, String namespace) {
    informer =
        client.pods().inNamespace(namespace).withLabel("pliant.dev/role", "worker").inform(this);
  }

  @Override
  public synchronized void onAdd(Pod pod) {
    made.put(pod.getMetadata().getName(), TrainingTrace.now());
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {}

  @Override
  public void onDelete(Pod pod, boolean unknown) {}

  synchronized double made(String pod) {
    return Objects.requireNonNull(made.get(pod));
  }

  /// Those that were made after a moment.
  synchronized List<String> since(double moment) {
    return made.entrySet().stream()
        .filter(each -> each.getValue() > moment)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public void close() {
    informer.close();
  }
}

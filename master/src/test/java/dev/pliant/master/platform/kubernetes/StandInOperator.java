package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Carries a master's plan out in pods, as an operator does; so small that it can be seen to be
/// right.
final class StandInOperator implements AutoCloseable {
  private final KubernetesClient client;
  private final JobNames names;
  private final PodScaler.PodMaker maker;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final JobApi api;

  StandInOperator(KubernetesClient client, ElasticJobResource job, PodScaler.PodMaker maker) {
    this.client = client;
    this.names = JobNames.of(job);
    this.maker = maker;
    this.api = new JobApi(client, names);
    var unused = thread.scheduleWithFixedDelay(this::reconcile, 0, 100, TimeUnit.MILLISECONDS);
  }

  private void reconcile() {
    try {
      ScalePlan plan =
          client
              .resources(ScalePlan.class)
              .inNamespace(names.namespace())
              .withName(names.plan())
              .get();
      if (plan != null) {
        carryOut(plan);
      }
    } catch (KubernetesClientException e) {
      // Again in a moment.
    }
  }

  private void carryOut(ScalePlan plan) {
    ScalePlanSpec spec = plan.getSpec();
    Map<String, Pod> pods = new LinkedHashMap<>();
    for (Pod pod : api.pods()) {
      pods.put(pod.getMetadata().getName(), pod);
    }
    ScalePlanStatus before = plan.getStatus();
    TreeSet<String> made = new TreeSet<>(created(before));
    List<String> named = new ArrayList<>();
    for (PodPlan pod : Objects.requireNonNull(spec.createPods())) {
      named.add(pod.name());
      if (!made.contains(pod.name()) && !pods.containsKey(pod.name())) {
        api.create(maker.pod(pod, spec));
      }
      made.add(pod.name());
    }
    for (PodPlan pod : Objects.requireNonNull(spec.removePods())) {
      named.add(pod.name());
      Pod there = pods.get(pod.name());
      if (there != null && lives(there) && there.getMetadata().getDeletionTimestamp() == null) {
        api.delete(node(pod.name()), false);
      }
    }
    pods.forEach((name, pod) -> {
      if (!named.contains(name) && lives(pod)) {
        api.delete(node(name), true);
      }
    });
    made.retainAll(named);
    Long generation = plan.getMetadata().getGeneration();
    if (before == null
        || !made.equals(new TreeSet<>(created(before)))
        || !generation.equals(before.observedGeneration())) {
      api.answer(
          ScalePlan.class,
          new ScalePlan(),
          names.plan(),
          new ScalePlanStatus("Scaling", null, generation, null, null, List.copyOf(made)));
    }
  }

  private static List<String> created(@Nullable ScalePlanStatus status) {
    return status == null || status.createdPods() == null ? List.of() : status.createdPods();
  }

  private NodeId node(String pod) {
    return names.node(pod).orElseThrow();
  }

  private boolean lives(Pod pod) {
    return !(PodNews.of(node(pod.getMetadata().getName()), pod) instanceof NodeNews.Ended);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}

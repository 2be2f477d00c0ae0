package dev.pliant.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;

/// Which container of a job's pod is the node, or the master; the others stand beside it.
public final class MainContainer {
  private MainContainer() {}

  /// Its name: as the pod says, else that of the first. Nothing where the pod has no containers.
  public static Optional<String> of(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    String said = annotations == null ? null : annotations.get(JobNames.CONTAINER_ANNOTATION);
    return said == null
        ? pod.getSpec().getContainers().stream().map(Container::getName).findFirst()
        : Optional.of(said);
  }
}

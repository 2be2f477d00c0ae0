package dev.pliant.operator.cluster;

import dev.pliant.kubernetes.JobNames;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A cache's store that keeps of each object only what decisions are made from. Of a pod that is a
/// tenth: templates, variables, volumes and who wrote which field are left out, and what all pods
/// have in common is kept once.
final class Slim<T extends HasMetadata> extends BasicItemStore<T> {
  private static final Set<String> LABELS = Set.of(JobNames.JOB_LABEL, JobNames.ROLE_LABEL);
  private static final Set<String> CONDITIONS = Set.of("Ready", "PodScheduled");

  private final UnaryOperator<T> slim;

  private Slim(UnaryOperator<T> slim) {
    super(Cache::metaNamespaceKeyFunc);
    this.slim = slim;
  }

  @Override
  public @Nullable T put(String key, T object) {
    return super.put(key, slim.apply(object));
  }

  static Slim<Pod> pods() {
    return new Slim<>(Slim::pod);
  }

  /// For objects of which only their names and owners matter.
  static <T extends HasMetadata> Slim<T> names(Class<T> type) {
    return new Slim<>(object -> {
      try {
        T bare = type.getDeclaredConstructor().newInstance();
        bare.setMetadata(metadata(object.getMetadata()));
        return bare;
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("every object of the client can be made empty", e);
      }
    });
  }

  /// For objects of which all matters but who wrote which field.
  static <T extends HasMetadata> Slim<T> whole() {
    return new Slim<>(object -> {
      object.getMetadata().setManagedFields(null);
      return object;
    });
  }

  static Pod pod(Pod pod) {
    return new PodBuilder()
        .withMetadata(metadata(pod.getMetadata()))
        .withStatus(pod.getStatus() == null ? null : status(pod.getStatus()))
        .build();
  }

  private static PodStatus status(PodStatus status) {
    List<PodCondition> conditions =
        status.getConditions().stream().filter(c -> CONDITIONS.contains(c.getType())).toList();
    conditions.forEach(condition -> {
      condition.setLastTransitionTime(null);
      condition.setLastProbeTime(null);
    });
    return new PodStatusBuilder()
        .withPhase(shared(status.getPhase()))
        .withConditions(conditions)
        .withInitContainerStatuses(containers(status.getInitContainerStatuses()))
        .withContainerStatuses(containers(status.getContainerStatuses()))
        .build();
  }

  /// Where all containers run they say nothing that the pod's conditions do not.
  private static List<ContainerStatus> containers(@Nullable List<ContainerStatus> containers) {
    if (containers == null
        || containers.stream().noneMatch(container -> speaks(container.getState()))) {
      return List.of();
    }
    return containers.stream()
        .map(container ->
            new ContainerStatusBuilder()
                .withName(shared(container.getName()))
                .withState(container.getState())
                .build())
        .toList();
  }

  private static boolean speaks(@Nullable ContainerState state) {
    return state != null && (state.getWaiting() != null || state.getTerminated() != null);
  }

  private static ObjectMeta metadata(ObjectMeta metadata) {
    return new ObjectMetaBuilder()
        .withName(metadata.getName())
        .withNamespace(shared(metadata.getNamespace()))
        .withUid(metadata.getUid())
        .withResourceVersion(metadata.getResourceVersion())
        .withCreationTimestamp(metadata.getCreationTimestamp())
        .withDeletionTimestamp(metadata.getDeletionTimestamp())
        .withDeletionGracePeriodSeconds(metadata.getDeletionGracePeriodSeconds())
        .withLabels(only(metadata.getLabels(), LABELS))
        .withAnnotations(only(metadata.getAnnotations(), Set.of(ObjectFactory.REVISION)))
        .withOwnerReferences(metadata.getOwnerReferences())
        .build();
  }

  private static Map<String, String> only(@Nullable Map<String, String> map, Set<String> keys) {
    Map<String, String> kept = new LinkedHashMap<>();
    if (map != null) {
      map.forEach((key, value) -> {
        if (keys.contains(key)) {
          kept.put(shared(key), shared(value));
        }
      });
    }
    return Map.copyOf(kept);
  }

  private static @Nullable String shared(@Nullable String text) {
    return text == null ? null : text.intern();
  }
}

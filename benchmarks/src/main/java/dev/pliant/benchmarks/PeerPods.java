package dev.pliant.benchmarks;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.LinkedHashMap;
import java.util.Map;

/// The pods that Kubernetes' Job controller makes: those of our operator, or the smallest.
final class PeerPods {
  static final String LABEL = "wave";
  static final String VALUE = "peer";

  private PeerPods() {}

  /// As the operator made one: as many labels and annotations, the same containers, volumes and
  /// environment. Its keys are not ours, so that the operator does not see them.
  static PodTemplateSpec like(Pod made) {
    PodSpec spec = Serialization.clone(made.getSpec());
    spec.setNodeName(null);
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .withLabels(notOurs(made.getMetadata().getLabels()))
        .addToLabels(LABEL, VALUE)
        .withAnnotations(notOurs(made.getMetadata().getAnnotations()))
        .endMetadata()
        .withSpec(spec)
        .build();
  }

  private static Map<String, String> notOurs(Map<String, String> keyed) {
    Map<String, String> others = new LinkedHashMap<>();
    keyed.forEach((key, value) -> others.put("peer.dev/" + key.replace('/', '.'), value));
    return others;
  }

  /// One container that does nothing.
  static PodTemplateSpec bare() {
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .addToLabels(LABEL, VALUE)
        .endMetadata()
        .withSpec(
            Serialization.unmarshal(
                WaveManifests.PLACED
                    + """
                    restartPolicy: Never
                    containers: [{name: main, image: "pliant.local/pause:1", command: [/pause]}]
                    """,
                PodSpec.class))
        .build();
  }
}

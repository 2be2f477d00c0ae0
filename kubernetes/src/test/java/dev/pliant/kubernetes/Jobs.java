package dev.pliant.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;

/// Jobs for tests.
final class Jobs {
  static final Images IMAGES = new Images("pliant/master:1", "pliant/agent:1", "IfNotPresent");

  static final OwnerReference OWNER =
      new OwnerReferenceBuilder()
          .withApiVersion(ElasticJob.API_VERSION)
          .withKind(ElasticJob.KIND)
          .withName("digits")
          .withUid("u-1")
          .build();

  private Jobs() {}

  /// The job `team-a/digits` with that spec, indented by two.
  static ElasticJob job(String spec) {
    return JobFile.parse(
        "job.yaml",
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, namespace: team-a}
        spec:
        """
            + spec.indent(2));
  }

  /// A job whose workers have that pod template.
  static ElasticJob withWorker(String template) {
    return job(
        "distributionStrategy: AllreduceStrategy\nworker:\n  template:\n" + template.indent(4));
  }

  static NodePodRequest request(ElasticJob job, String node) {
    return request(job, node, ResourceAmounts.NONE, false);
  }

  static NodePodRequest request(
      ElasticJob job, String node, ResourceAmounts resources, boolean restricted) {
    return new NodePodRequest(
        job, OWNER, NodeId.parse(node), 1, 2, 3, 4, resources, IMAGES, restricted);
  }
}

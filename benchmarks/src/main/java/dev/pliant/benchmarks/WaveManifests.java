package dev.pliant.benchmarks;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.stream.IntStream;

/// What makes the pods of a wave: on simulated nodes, with a container that does nothing.
record WaveManifests(String namespace, int workers) {
  static final String PLACED =
      """
      nodeSelector: {type: kwok}
      tolerations: [{key: kwok.x-k8s.io/node, operator: Exists}]
      """;

  static String name(int number) {
    return "j" + number;
  }

  /// A Job for Kubernetes' own controller.
  Job job(int number, PodTemplateSpec template) {
    return new JobBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name(number))
        .endMetadata()
        .withNewSpec()
        .withParallelism(workers)
        .withCompletions(workers)
        .withTemplate(template)
        .endSpec()
        .build();
  }

  ElasticJobResource elasticJob(int number) {
    String yaml =
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: %s, namespace: %s}
        spec:
          distributionStrategy: AllreduceStrategy
          replicaSpecs:
            master:
              template:
                spec:
        %s          containers: [{name: main}]
            worker:
              replicas: %d
              template:
                spec:
        %s          containers: [{name: main, image: "pliant.local/pause:1", command: [/pause]}]
        """
            .formatted(name(number), namespace, PLACED.indent(10), workers, PLACED.indent(10));
    return Serialization.unmarshal(yaml, ElasticJobResource.class);
  }

  /// The plan that the job's master would write for all its workers.
  ScalePlan plan(int number) {
    String job = name(number);
    ScalePlan plan = new ScalePlan();
    plan.setMetadata(
        new ObjectMetaBuilder()
            .withName(job + "-auto")
            .withNamespace(namespace)
            .addToLabels("scale-type", "auto")
            .addToLabels("elasticjob-name", job)
            .addToLabels("pliant.dev/job", job)
            .build());
    List<PodPlan> pods =
        IntStream.range(0, workers)
            .mapToObj(n -> new PodPlan(job + "-worker-" + n, "worker", n, n, 0, null))
            .toList();
    plan.setSpec(
        new ScalePlanSpec(
            job,
            null,
            pods,
            List.of(),
            null,
            null,
            1L,
            new JobReport(JobStatePhase.Running, "", workers, 1, Math.max(1, workers), 0)));
    return plan;
  }
}

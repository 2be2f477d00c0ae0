package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobPlansTest {
  private static ElasticJobResource job(String spec) {
    return Serialization.unmarshal(
        """
        ---
        {apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob,
         metadata: {name: digits, namespace: team-a, uid: u-1, creationTimestamp: '2026-01-01T00:00:07Z'},
         spec: {%s}}
        """
            .formatted(spec),
        ElasticJobResource.class);
  }

  private static String role(String counts) {
    return """
    {%s template: {spec: {containers: [{name: main, image: i, command: [python3], args: [train.py],
      resources: {limits: {cpu: 500m, memory: 1Gi, nvidia.com/gpu: 1}}}]}}}
    """
        .formatted(counts);
  }

  private static JobPlan plan(ElasticJobResource job) {
    return JobPlans.of(job);
  }

  @Test
  void aGroupDecidesInItsContainerHowItChanges() {
    JobPlan plan =
        plan(
            job(
                "distributionStrategy: AllreduceStrategy, replicaSpecs: {worker: %s}"
                    .formatted(
                        role(
                            "replicas: 2, minReplicas: 1, maxReplicas: 3, restartCount: 5, restartTimeout: 60,"))));

    assertThat(plan.strategy()).isEqualTo(Strategy.ALLREDUCE);
    assertThat(plan.elasticity()).isEqualTo(Elasticity.AUTO);
    assertThat(plan.workers())
        .isEqualTo(new JobPlan.Workers(2, 1, 3, 5, 60_000, new NodeResources(0.5, 1_024, 1)));
    assertThat(plan.command()).containsExactly("python3", "train.py");
    assertThat(plan.others()).isEmpty();
  }

  @Test
  void workersWithServersAreNoGroupAndMastersNoRole() {
    JobPlan plan =
        plan(
            job(
                "distributionStrategy: ParameterServerStrategy, replicaSpecs: {worker: %s, ps: %s, dlrover-master: %s}"
                    .formatted(role(""), role("replicas: 2, restartTimeout: 90,"), role(""))));

    assertThat(plan.strategy()).isEqualTo(Strategy.LOCAL);
    assertThat(plan.elasticity()).isEqualTo(Elasticity.NONE);
    assertThat(plan.others())
        .isEqualTo(
            List.of(
                new JobPlan.RolePlan(
                    "ps",
                    2,
                    1,
                    15,
                    JobPlan.DEFAULT_RESTARTS,
                    90_000,
                    new NodeResources(0.5, 1_024, 1))));
  }

  @Test
  void eachJobOfANameIsAnotherRun() {
    ElasticJobResource job = job("worker: " + role(""));
    assertThat(plan(job).run()).isEqualTo(Instant.parse("2026-01-01T00:00:07Z").toEpochMilli());

    job.getMetadata().setCreationTimestamp(null);
    assertThat(plan(job).run()).isEqualTo(JobPlan.UNTOLD_RUN);
  }

  @Test
  void itsCheckpointsLieWhereItsPodsLookForThem() {
    ElasticJobResource job = job("checkpoint: {claim: c, every: 10, keep: 2}, worker: " + role(""));

    assertThat(plan(job).checkpoint()).isEqualTo(new JobPlan.Checkpointing("", 10, 2));
    assertThat(plan(job("checkpoint: {claim: c, path: p}, worker: " + role(""))).checkpoint())
        .extracting(JobPlan.Checkpointing::path)
        .isEqualTo("p");
    assertThat(
            plan(job(
                    "checkpoint: {claim: c, from: latest, withDataPosition: true}, worker: "
                        + role("")))
                .checkpoint())
        .isEqualTo(new JobPlan.Checkpointing("", 100, 3, "latest", true));
    assertThat(plan(job).uid()).isEqualTo("u-1");
  }

  @Test
  void itsLimitsHoldForAllNodesTogether() {
    JobPlan plan =
        plan(
            job(
                "resourceLimits: {cpu: 3500m, memory: 4Gi, gpu: '4', example.com/x: '1'}, worker: %s"
                    .formatted(role(""))));

    assertThat(plan.limits()).isEqualTo(new ResourceLimits(3.5, 4_096L, 4L, null));
    assertThat(plan.workers().max()).isEqualTo(4);
    assertThat(plan(job("worker: " + role(""))).limits()).isEqualTo(ResourceLimits.NONE);
  }
}

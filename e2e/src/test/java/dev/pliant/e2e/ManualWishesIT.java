package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What users write about a job that runs: it is done as a whole, or refused and the job goes on.
class ManualWishesIT {
  private static final String SCALE_PLAN =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ScalePlan
      metadata: {name: NAME, labels: {elasticjob-name: count, scale-type: manual}}
      spec:
        ownerJob: count
      """;

  @TempDir Path folder;

  @Test
  void wishesOfUsersAreDoneOrRefusedAndEveryRecordIsCountedOnce() throws Exception {
    RealCluster cluster = RealCluster.ready();
    try (PacedJobs jobs = PacedJobs.in(cluster, "wishes", folder)) {
      ClusterJob job = jobs.start("count", "ElasticJobScaler", 2);
      replacesThatPodAlone(jobs, job);
      growsByNodesOfAnotherSize(jobs, job);
      removesOneAndMovesAnother(jobs, job);
      createsOneMore(jobs, job);
      refusesWhatCannotBe(jobs, job);
      rests(cluster, jobs, job);
      jobs.finish(job);
    }
  }

  private static void replacesThatPodAlone(PacedJobs jobs, ClusterJob job) {
    Map<String, String> before = job.workers();
    jobs.apply(
        """
        apiVersion: elastic.easydl.org/v1alpha1
        kind: JobResource
        metadata: {name: larger}
        spec:
          selector: {name: count}
          resource_updation:
            - name: count-worker-1
              resource: {cpu: 1, memory: 400}
        """);

    assertThat(job.answerTo(JobResource.class, "larger", PacedJobs.BOUND).reason())
        .contains("worker-1");
    awaitWorkers(job, Set.of("count-worker-0", "count-worker-2"));
    assertThat(job.workers()).containsEntry("count-worker-0", uid(before, "count-worker-0"));
    Pod larger = job.pod("count-worker-2");
    assertThat(limit(larger, "cpu")).isEqualTo(new Quantity("1"));
    assertThat(limit(larger, "memory")).isEqualTo(new Quantity("400Mi"));
    assertThat(larger.getMetadata().getLabels())
        .as("it has the place of the one before")
        .containsEntry("elasticjob.dlrover/rank-index", "1");
    jobs.say("a JobResource has replaced one pod by a larger one");
  }

  private static void growsByNodesOfAnotherSize(PacedJobs jobs, ClusterJob job) {
    Map<String, String> before = job.workers();
    jobs.apply(
        plan(
            "more",
            """
              replicaResourceSpecs:
                worker:
                  replicas: 4
                  resource: {memory: 352Mi}
            """));

    assertThat(job.answerTo(ScalePlan.class, "more", PacedJobs.BOUND).reason())
        .contains("from 2 to 4");
    awaitWorkers(
        job, Set.of("count-worker-0", "count-worker-2", "count-worker-3", "count-worker-4"));
    assertThat(job.workers()).as("those before stay").containsAllEntriesOf(before);
    assertThat(limit(job.pod("count-worker-3"), "memory")).isEqualTo(new Quantity("352Mi"));
    assertThat(limit(job.pod("count-worker-2"), "memory")).isEqualTo(new Quantity("400Mi"));
    jobs.say("a ScalePlan has added two of another size");
  }

  private static void removesOneAndMovesAnother(PacedJobs jobs, ClusterJob job) {
    Map<String, String> before = job.workers();
    jobs.apply(
        plan(
            "move",
            """
              removePods:
                - name: count-worker-3
              migratePods:
                - name: count-worker-0
                  resource: {memory: 448Mi}
            """));

    assertThat(job.answerTo(ScalePlan.class, "move", PacedJobs.BOUND).phase())
        .isEqualTo("Succeeded");
    awaitWorkers(job, Set.of("count-worker-2", "count-worker-4", "count-worker-5"));
    assertThat(job.workers())
        .as("nobody else was touched")
        .containsEntry("count-worker-2", uid(before, "count-worker-2"))
        .containsEntry("count-worker-4", uid(before, "count-worker-4"));
    assertThat(limit(job.pod("count-worker-5"), "memory")).isEqualTo(new Quantity("448Mi"));
    jobs.say("a ScalePlan has removed one and moved another");
  }

  private static void createsOneMore(PacedJobs jobs, ClusterJob job) {
    Map<String, String> before = job.workers();
    jobs.apply(
        plan(
            "one-more",
            """
              createPods:
                - name: count-worker-6
                  type: worker
                  resource: {memory: 336Mi}
            """));

    assertThat(job.answerTo(ScalePlan.class, "one-more", PacedJobs.BOUND).phase())
        .isEqualTo("Succeeded");
    awaitWorkers(
        job, Set.of("count-worker-2", "count-worker-4", "count-worker-5", "count-worker-6"));
    assertThat(job.workers()).as("those before stay").containsAllEntriesOf(before);
    assertThat(limit(job.pod("count-worker-6"), "memory")).isEqualTo(new Quantity("336Mi"));
    jobs.say("a ScalePlan has created one more");
  }

  private static void refusesWhatCannotBe(PacedJobs jobs, ClusterJob job) {
    Map<String, String> before = job.workers();
    jobs.apply(
        plan(
            "bad",
            """
              replicaResourceSpecs:
                worker: {replicas: 9}
              removePods:
                - name: count-worker-77
            """));

    ScalePlanStatus status = job.answerTo(ScalePlan.class, "bad", PacedJobs.BOUND);
    assertThat(status.phase()).isEqualTo("Failed");
    assertThat(status.reason())
        .contains("no node worker-77")
        .contains("9 nodes of role worker are asked for; this job takes from 1 to 4");
    job.awaitProgress(PacedJobs.BOUND);
    assertThat(job.workers()).isEqualTo(before);
    jobs.say("a bad ScalePlan was refused");
  }

  private static void rests(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    long done = job.recordsDone(PacedJobs.BOUND);
    Integer restarts = job.status().orElseThrow().restarts();
    suspend(cluster, job, true);
    job.await("rest", PacedJobs.BOUND, () -> job.isIn(JobStatePhase.Suspended));
    job.await("the end of its pods", PacedJobs.BOUND, () -> job.living().isEmpty());
    jobs.say("it rests");

    suspend(cluster, job, false);
    job.awaitWorkers(4, PacedJobs.BOUND);
    assertThat(job.recordsDone(PacedJobs.BOUND)).as("it goes on where it was").isGreaterThan(done);
    assertThat(job.status().orElseThrow().restarts())
        .as("replacements: a rest is no failure")
        .isEqualTo(restarts);
    jobs.say("it goes on");
  }

  private static void suspend(RealCluster cluster, ClusterJob job, boolean suspend) {
    cluster
        .kubectl(
            "-n",
            job.namespace(),
            "patch",
            "elasticjob",
            job.name(),
            "--type=merge",
            "-p",
            "{\"spec\":{\"suspend\":%s}}".formatted(suspend))
        .orThrow("kubectl patch");
  }

  private static String plan(String name, String spec) {
    return SCALE_PLAN.replace("NAME", name) + spec;
  }

  private static void awaitWorkers(ClusterJob job, Set<String> names) {
    job.await("workers " + names, PacedJobs.BOUND, () -> job.workers().keySet().equals(names));
    job.awaitProgress(PacedJobs.BOUND);
  }

  private static @Nullable Quantity limit(Pod pod, String resource) {
    return pod.getSpec().getContainers().getFirst().getResources().getLimits().get(resource);
  }

  private static String uid(Map<String, String> workers, String name) {
    return workers.getOrDefault(name, "it is not there");
  }
}

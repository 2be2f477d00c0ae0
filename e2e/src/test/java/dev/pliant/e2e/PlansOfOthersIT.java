package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Plans that others wrote, applied as they stand beside the jobs that they are about. They are not
/// part of this project: the tests look for them beside its tree.
class PlansOfOthersIT {
  private static final Path SHARED = Commands.root().resolve("../shared").normalize();
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

  /// Where the published manifests say that they belong.
  private static final String DLROVER = "dlrover";

  /// A job of the name that the design's plan has, for the designs have none of it.
  private static final String SAMPLE =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: elasticjob-sample}
      spec:
        distributionStrategy: ParameterServerStrategy
        replicaSpecs:
          ps:
            replicas: 0
            template: &sleeper
              spec:
                containers:
                  - name: main
                    image: pliant.local/python:1
                    command: [python3, -c, "import time; time.sleep(3600)"]
                    resources: {requests: {cpu: 10m}, limits: {memory: 320Mi}}
          worker:
            replicas: 1
            template: *sleeper
      """;

  @TempDir Path folder;

  private String namespace = "";

  @BeforeEach
  void lookForThem() {
    assumeTrue(
        Files.isDirectory(SHARED.resolve("manifests")),
        "needs the manifests of others, beside the tree");
  }

  @AfterEach
  void tidyUp() {
    if (!namespace.isEmpty()) {
      RealCluster.ready().remove(namespace);
    }
  }

  @Test
  void theDesignsScalePlanMakesServersAndWorkersOfItsSize() throws IOException {
    RealCluster cluster = RealCluster.ready();
    cluster.testImage("python");
    open(cluster, "designs-" + Long.toString(System.nanoTime(), 36));
    ClusterJob job = new ClusterJob(cluster, namespace, "elasticjob-sample");
    apply(cluster, SAMPLE);
    await(job, () -> names(job.running("worker")), Set.of("elasticjob-sample-worker-0"));

    apply(cluster, ofSeeds("ScalePlan"));

    ScalePlanStatus status = job.answerTo(ScalePlan.class, "scaleplan-sample", PacedJobs.BOUND);
    assertThat(status.phase()).isEqualTo("Succeeded");
    assertThat(status.reason()).contains("ps: from 0 to 1 nodes", "worker: from 1 to 2 nodes");
    await(job, () -> names(job.running("ps")), Set.of("elasticjob-sample-ps-0"));
    await(
        job,
        () -> names(job.running("worker")),
        Set.of("elasticjob-sample-worker-0", "elasticjob-sample-worker-1"));
    for (String name : List.of("elasticjob-sample-ps-0", "elasticjob-sample-worker-1")) {
      assertThat(limit(job.pod(name), "cpu")).isEqualTo(new Quantity("0.5"));
      assertThat(limit(job.pod(name), "memory")).isEqualTo(new Quantity("256Mi"));
    }
    assertThat(limit(job.pod("elasticjob-sample-worker-0"), "memory"))
        .as("one that was there before")
        .isEqualTo(new Quantity("320Mi"));
  }

  /// No image of theirs can be had here: the pods are made, and wait.
  @Test
  void thePublishedScalePlanAsksForWhatItsJobHas() throws IOException {
    RealCluster cluster = RealCluster.ready();
    open(cluster, DLROVER);
    ClusterJob job = new ClusterJob(cluster, DLROVER, "deepctr-manual-scale");
    Path manifests = SHARED.resolve("manifests");
    apply(cluster, manifests.resolve("dlrover-criteo-manual-job.yaml"));
    Set<String> workers = Set.of(job.name() + "-worker-0", job.name() + "-worker-1");
    await(job, () -> names(job.pods("worker")), workers);

    apply(cluster, manifests.resolve("dlrover-criteo-scale-plan.yaml"));

    ScalePlanStatus status =
        job.answerTo(ScalePlan.class, "deepctr-manual-scale-plan-0", PacedJobs.BOUND);
    assertThat(status.phase()).as(status.reason()).isEqualTo("Succeeded");
    assertThat(status.reason()).isEqualTo("all is so already");
    assertThat(names(job.pods("worker"))).isEqualTo(workers);
    assertThat(names(job.pods("ps"))).isEqualTo(Set.of(job.name() + "-ps-0"));
    for (Pod pod : job.pods("worker")) {
      assertThat(limit(pod, "memory")).isEqualTo(new Quantity("4Gi"));
      assertThat(pod.getSpec().getVolumes()).anyMatch(volume -> volume.getName().equals("pvc-nas"));
    }
    assertThat(limit(job.pods("ps").getFirst(), "memory")).isEqualTo(new Quantity("3Gi"));
  }

  /// The master's resources may be theirs, its image and what it runs are ours.
  @Test
  void thePublishedJobThatSaysNoNumbersHasOneOfEachRole() throws IOException {
    RealCluster cluster = RealCluster.ready();
    open(cluster, DLROVER);
    ClusterJob job = new ClusterJob(cluster, DLROVER, "elasticjob-sample");

    apply(cluster, SHARED.resolve("manifests/dlrover-iris-autoscale-job.yaml"));

    await(job, () -> names(job.pods("ps")), Set.of("elasticjob-sample-ps-0"));
    await(job, () -> names(job.pods("worker")), Set.of("elasticjob-sample-worker-0"));
    assertThat(names(job.pods("master"))).isEqualTo(Set.of("elasticjob-sample-master-0"));
    assertThat(image(job.pods("master").getFirst())).startsWith("pliant/master:");
    for (String role : List.of("ps", "worker")) {
      assertThat(image(job.pods(role).getFirst())).isEqualTo("easydl/tf-estimator:iris_dnn_v0");
    }
    job.await(
        "a word of what its pods wait for, and what helps",
        PacedJobs.BOUND,
        () -> podsReady(job).stream().anyMatch(PlansOfOthersIT::isOfItsImage));
  }

  private static List<Condition> podsReady(ClusterJob job) {
    return job.status().stream()
        .flatMap(status ->
            Objects.requireNonNullElse(status.conditions(), List.<Condition>of()).stream())
        .filter(condition -> condition.getType().equals("PodsReady"))
        .toList();
  }

  private static boolean isOfItsImage(Condition condition) {
    return condition.getStatus().equals("False")
        && Set.of("ErrImagePull", "ImagePullBackOff").contains(condition.getReason())
        && condition.getMessage().contains("imagePullSecrets");
  }

  @Test
  void thePublishedJobOfFourWorkersKnowsItsNumber() throws IOException {
    RealCluster cluster = RealCluster.ready();
    open(cluster, DLROVER);
    ClusterJob job = new ClusterJob(cluster, DLROVER, "torch-mnist");

    apply(cluster, SHARED.resolve("manifests/dlrover-mnist-elastic-job.yaml"));

    await(
        job,
        () -> names(job.pods("worker")),
        IntStream.range(0, 4).mapToObj(n -> "torch-mnist-worker-" + n).collect(Collectors.toSet()));
    for (Pod pod : job.pods("worker")) {
      assertThat(pod.getSpec().getRestartPolicy()).as("its master replaces it").isEqualTo("Never");
      assertThat(pod.getSpec().getContainers().getFirst().getEnv())
          .as("its command reads it")
          .contains(new EnvVar("NODE_NUM", "4", null));
      assertThat(limit(pod, "memory")).isEqualTo(new Quantity("3Gi"));
    }
  }

  /// It names a role that the job of the same design lacks, and servers that it is yet to make.
  @Test
  void theDesignsJobResourceIsDoneForTheRolesThatItsJobHas() throws IOException {
    RealCluster cluster = RealCluster.ready();
    open(cluster, "designs-" + Long.toString(System.nanoTime(), 36));
    ClusterJob job = new ClusterJob(cluster, namespace, "elastic-deepctr-job");
    apply(cluster, ofSeeds("ElasticJob"));
    await(job, () -> names(job.pods("ps")), Set.of("elastic-deepctr-job-ps-0"));
    await(job, () -> names(job.pods("worker")), Set.of("elastic-deepctr-job-worker-0"));

    apply(cluster, ofSeeds("JobResource"));

    ScalePlanStatus status =
        job.answerTo(JobResource.class, "elastic-training-resource", PacedJobs.BOUND);
    assertThat(status.phase()).as(status.reason()).isEqualTo("Succeeded");
    assertThat(status.reason()).contains("evaluator");
    awaitLimits(job, "ps", "cpu", "16", "4", "4", "8");
    awaitLimits(job, "ps", "memory", "4Gi", "4Gi", "8Gi", "8Gi");
    awaitLimits(job, "worker", "cpu", "4", "4", "4", "none");
    awaitLimits(job, "worker", "nvidia.com/gpu", "1", "1", "1", "none");
    assertThat(job.pods("evaluator")).isEmpty();
  }

  private static void awaitLimits(ClusterJob job, String role, String resource, String... wanted) {
    List<String> unused =
        job.await(
            "%s %s of %s".formatted(List.of(wanted), resource, role),
            PacedJobs.BOUND,
            () -> limits(job, role, resource),
            List.of(wanted)::equals);
  }

  /// In the order of the alphabet.
  private static List<String> limits(ClusterJob job, String role, String resource) {
    return job.pods(role).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .map(pod -> limit(pod, resource))
        .map(limit -> limit == null ? "none" : limit.toString())
        .sorted()
        .toList();
  }

  private void open(RealCluster cluster, String name) {
    new ClusterJob(cluster, name, "-")
        .await(
            "the end of one of that name",
            PacedJobs.BOUND,
            () -> cluster.client().namespaces().withName(name).get() == null);
    cluster.restrictedNamespace(name);
    namespace = name;
  }

  private static void await(ClusterJob job, Supplier<Set<String>> pods, Set<String> wanted) {
    Set<String> unused =
        job.await("pods " + wanted, PacedJobs.BOUND, pods, found -> found.equals(wanted));
  }

  private void apply(RealCluster cluster, String yaml) throws IOException {
    apply(cluster, Files.writeString(Files.createTempFile(folder, "object", ".yaml"), yaml));
  }

  private void apply(RealCluster cluster, Path file) {
    cluster.kubectl("-n", namespace, "apply", "-f", file.toString()).orThrow("kubectl apply");
  }

  private static Set<String> names(List<Pod> pods) {
    return pods.stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  private static @Nullable Quantity limit(Pod pod, String resource) {
    Map<String, Quantity> limits =
        pod.getSpec().getContainers().getFirst().getResources().getLimits();
    return limits == null ? null : limits.get(resource);
  }

  private static String image(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getImage();
  }

  /// The one object of that kind in the designs.
  private static String ofSeeds(String kind) throws IOException {
    try (Stream<Path> seeds = Files.list(SHARED.resolve("seeds"))) {
      for (Path seed : seeds.sorted().toList()) {
        Matcher yaml = YAML.matcher(Files.readString(seed));
        while (yaml.find()) {
          if (yaml.group(1).matches("(?s).*kind: \"?" + kind + "\"?\n.*")) {
            return yaml.group(1);
          }
        }
      }
    }
    throw new AssertionError("no design has a " + kind);
  }
}

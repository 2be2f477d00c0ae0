package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pliant.crds.DistributionStrategy;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.OptimizeMode;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.JobResourceSpec;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Manifests that others wrote are read as they stand. They are not part of this project: the tests
/// look for them in a folder `shared` beside its tree, and are skipped where there is none.
final class PublishedManifestsTest {
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

  private static final Images IMAGES = new Images("m", "a", Images.DEFAULT_PULL_POLICY);

  private static final Path SHARED = Path.of("..", "..", "shared").toAbsolutePath().normalize();

  /// Before each, so that each is reported as skipped: JUnit reports nothing of a class that is.
  @BeforeEach
  void lookForThem() {
    assumeThat(SHARED.resolve("manifests"))
        .as("manifests of others, beside the tree")
        .isDirectory();
  }

  @Test
  void readsTheParameterServerJobOfDlrover() {
    ElasticJob job = read("dlrover-criteo-manual-job.yaml");

    assertThat(job.metadata().namespace()).isEqualTo("dlrover");
    assertThat(job.spec().distributionStrategy()).isEqualTo(DistributionStrategy.PARAMETER_SERVER);
    assertThat(job.spec().replicaSpecs())
        .containsOnlyKeys(Role.PARAMETER_SERVER, Role.WORKER, Role.MASTER);
    assertThat(job.spec().worker().replicas()).isEqualTo(2);
    assertThat(job.spec().worker().autoScale()).isFalse();
    assertThat(job.spec().worker().template().main().resources().limits())
        .containsEntry("memory", "4Gi");
  }

  @Test
  void readsTheAutomaticJobOfDlrover() {
    ElasticJob job = read("dlrover-iris-autoscale-job.yaml");

    assertThat(job.spec().optimizeMode()).isEqualTo(OptimizeMode.CLUSTER);
    assertThat(job.spec().resourceLimits()).containsEntry("cpu", "6");
    assertThat(job.spec().worker().restartCount()).isEqualTo(3);
    assertThat(job.spec().worker().replicas()).isNull();
  }

  @Test
  void readsTheAllReduceJobOfDlrover() {
    ElasticJob job = read("dlrover-mnist-elastic-job.yaml");

    assertThat(job.metadata().annotations()).containsEntry("training_elastic_mode", "ucp");
    assertThat(job.spec().distributionStrategy()).isEqualTo(DistributionStrategy.ALLREDUCE);
    assertThat(job.spec().optimizeMode()).isEqualTo(OptimizeMode.SINGLE_JOB);
    assertThat(job.spec().worker().initialReplicas()).isEqualTo(4);
  }

  @Test
  void readsEveryElasticJobOfTheDesignsItGrewFrom() throws IOException {
    for (String yaml : ofSeeds("ElasticJob")) {
      ElasticJob job = JobFile.parse("seed", yaml);
      assertThat(job.spec().replicaSpecs()).containsOnlyKeys(Role.PARAMETER_SERVER, Role.WORKER);
      assertThat(job.spec().worker().restartCount()).isEqualTo(3);
    }
  }

  @Test
  void aClusterReadsEveryJobAsAFileIsRead() throws IOException {
    List<String> yamls = new ArrayList<>(manifests("kind: ElasticJob"));
    yamls.addAll(ofSeeds("ElasticJob"));

    assertThat(yamls).hasSizeGreaterThanOrEqualTo(4);
    for (String yaml : yamls) {
      ElasticJobResource resource = Serialization.unmarshal(yaml, ElasticJobResource.class);
      if (resource.getMetadata().getNamespace() == null) {
        resource.getMetadata().setNamespace("default");
      }
      assertThat(JobFile.of(resource)).isEqualTo(JobFile.parse("manifest", yaml));
    }
  }

  @Test
  void everyNodeOfEveryJobGetsAPodThatRunsItsCommand() throws IOException {
    List<String> yamls = new ArrayList<>(manifests("kind: ElasticJob"));
    yamls.addAll(ofSeeds("ElasticJob"));
    for (String yaml : yamls) {
      ElasticJob job = JobFile.parse("manifest", yaml);
      job.spec()
          .replicaSpecs()
          .forEach((role, replicas) -> {
            if (role != Role.MASTER) {
              Pod pod = NodePods.pod(request(job, role));
              var main =
                  pod.getSpec().getContainers().stream()
                      .filter(one -> one.getName().equals(MainContainer.of(pod).orElseThrow()))
                      .findFirst()
                      .orElseThrow();
              assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
              assertThat(main.getImage()).isEqualTo(replicas.template().main().image());
              assertThat(main.getArgs())
                  .endsWith(replicas.template().main().command().toArray(String[]::new));
              assertThat(main.getEnv())
                  .contains(new EnvVar("NODE_NUM", "4", null), new EnvVar("WORKER_NUM", "4", null));
            }
          });
      Pod master =
          MasterPods.pod(new MasterPodRequest(job, new OwnerReference(), 0, IMAGES, false));
      assertThat(master.getSpec().getContainers().getFirst().getImage()).isEqualTo("m");
    }
  }

  @Test
  void readsThePlanOfDlrover() throws IOException {
    ScalePlan plan =
        Serialization.unmarshal(
            Files.readString(SHARED.resolve("manifests/dlrover-criteo-scale-plan.yaml")),
            ScalePlan.class);

    assertThat(plan.getMetadata().getLabels())
        .containsEntry(JobNames.DLROVER_JOB_LABEL, "deepctr-manual-scale")
        .containsEntry(JobNames.SCALE_TYPE_LABEL, JobNames.MANUAL);
    assertThat(plan.getSpec().ownerJob()).isEqualTo("deepctr-manual-scale");
    assertThat(plan.getSpec().replicaResourceSpecs())
        .isEqualTo(Map.of("worker", new RolePlan(2, null)));
  }

  @Test
  void readsThePlanOfTheDesigns() throws IOException {
    ScalePlan plan = Serialization.unmarshal(ofSeeds("ScalePlan").getFirst(), ScalePlan.class);
    RolePlan servers =
        Objects.requireNonNull(
            Objects.requireNonNull(plan.getSpec().replicaResourceSpecs()).get("ps"));

    assertThat(plan.getSpec().ownerJob()).isEqualTo("elasticjob-sample");
    assertThat(plan.getMetadata().getLabels())
        .containsEntry("elasticjob-name", "elasticjob-sample");
    assertThat(servers.replicas()).isEqualTo(1);
    assertThat(ResourceAmounts.of(servers.resource()).over(NodeResources.UNBOUNDED))
        .isEqualTo(new NodeResources(0.5, 256, 0));
  }

  @Test
  void readsTheJobResourceOfTheDesigns() throws IOException {
    JobResourceSpec spec =
        Serialization.unmarshal(ofSeeds("JobResource").getFirst(), JobResource.class).getSpec();

    assertThat(spec.selector().job()).isEqualTo("elastic-deepctr-job");
    for (RolePlan role : Arrays.asList(spec.parameterServer(), spec.worker(), spec.evaluator())) {
      assertThat(ResourceAmounts.of(Objects.requireNonNull(role).resource()).quantities())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(
                  "cpu", "4",
                  "memory", "4096Mi",
                  "ephemeral-storage", "8192Mi",
                  "nvidia.com/gpu", "1"));
    }
    JobNames names = new JobNames(new JobId("default", spec.selector().job()));
    assertThat(spec.resourceUpdation())
        .extracting(pod -> names.node(pod.name()).orElseThrow())
        .containsExactly(new NodeId("ps", 0), new NodeId("ps", 1));
    assertThat(spec.resourceUpdation())
        .extracting(pod -> ResourceAmounts.of(pod.resource()).change())
        .containsExactly(
            new ResourceChange(8.0, 8192L, null, null),
            new ResourceChange(16.0, 8192L, null, null));
  }

  private static NodePodRequest request(ElasticJob job, Role role) {
    return new NodePodRequest(
        job,
        new OwnerReference(),
        new NodeId(role.label(), 0),
        0,
        0,
        4,
        4,
        ResourceAmounts.NONE,
        IMAGES,
        false);
  }

  private static List<String> manifests(String containing) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files(SHARED.resolve("manifests"))) {
      String text = Files.readString(file);
      if (text.contains(containing)) {
        found.add(text);
      }
    }
    return found;
  }

  private static List<String> ofSeeds(String kind) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path seed : files(SHARED.resolve("seeds"))) {
      Matcher yaml = YAML.matcher(Files.readString(seed));
      while (yaml.find()) {
        if (yaml.group(1).matches("(?s).*kind: \"?" + kind + "\"?\n.*")) {
          found.add(yaml.group(1));
        }
      }
    }
    assertThat(found).as(kind).isNotEmpty();
    return found;
  }

  private static ElasticJob read(String name) {
    return JobFile.read(SHARED.resolve("manifests").resolve(name));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}

package dev.pliant.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Manifests that others wrote are read as they stand. They are not part of this project: the tests
/// look for them in a folder `shared` beside its tree, and are skipped where there is none.
final class PublishedManifestsTest {
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

  private static Path shared = Path.of("");

  @BeforeAll
  static void lookForThem() {
    shared = Path.of("..", "..", "shared").toAbsolutePath().normalize();
    assumeThat(shared.resolve("manifests"))
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
    int found = 0;
    for (Path seed : files(shared.resolve("seeds"))) {
      Matcher yaml = YAML.matcher(Files.readString(seed));
      while (yaml.find()) {
        if (yaml.group(1).contains("\"ElasticJob\"")) {
          ElasticJob job = JobFile.parse(seed.getFileName().toString(), yaml.group(1));
          assertThat(job.spec().replicaSpecs())
              .containsOnlyKeys(Role.PARAMETER_SERVER, Role.WORKER);
          assertThat(job.spec().worker().restartCount()).isEqualTo(3);
          found++;
        }
      }
    }
    assertThat(found).isPositive();
  }

  private static ElasticJob read(String name) {
    return JobFile.read(shared.resolve("manifests").resolve(name));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}

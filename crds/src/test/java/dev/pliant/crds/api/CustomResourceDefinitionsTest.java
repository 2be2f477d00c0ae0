package dev.pliant.crds.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The definitions stand in files, so that a change of them is seen in review. Run with
/// `-Dpliant.golden=write` to write the files anew.
final class CustomResourceDefinitionsTest {
  private static final Path GOLDEN = Path.of("src/main/resources/dev/pliant/crds");
  private static final int LARGEST = 256 << 10;

  private static final List<CustomResourceDefinition> GENERATED = GeneratedDefinitions.all();

  static List<CustomResourceDefinition> generated() {
    return GENERATED;
  }

  @ParameterizedTest
  @MethodSource("generated")
  void aDefinitionIsWhatItsFileSays(CustomResourceDefinition definition) throws IOException {
    Path golden = GOLDEN.resolve(definition.getSpec().getNames().getPlural() + ".yaml");
    String yaml = GeneratedDefinitions.yaml(definition);
    if ("write".equals(System.getProperty("pliant.golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(golden, yaml);
    }

    assertThat(Files.readString(golden)).isEqualTo(yaml);
    assertThat(Files.size(golden)).isLessThan(LARGEST);
  }

  @Test
  void theClassPathHasThemAll() {
    assertThat(CustomResourceDefinitions.all())
        .extracting(definition -> definition.getMetadata().getName())
        .containsExactly(
            "elasticjobs.elastic.iml.github.io",
            "scaleplans.elastic.iml.github.io",
            "jobresources.elastic.easydl.org");
    assertThat(CustomResourceDefinitions.all()).isEqualTo(GENERATED);
  }

  @Test
  void aJobIsScaledByItsWorkers() {
    CustomResourceDefinitionVersion version =
        CustomResourceDefinitions.all().getFirst().getSpec().getVersions().getFirst();

    assertThat(version.getSubresources().getScale().getSpecReplicasPath())
        .isEqualTo(".spec.replicaSpecs.worker.replicas");
    assertThat(version.getSubresources().getStatus()).isNotNull();
    assertThat(version.getAdditionalPrinterColumns())
        .extracting(column -> column.getName())
        .containsExactly(
            "STATE", "READY", "MIN", "MAX", "RESTARTS", "AGE", "STRATEGY", "MODE", "MASTER");
  }

  @ParameterizedTest
  @MethodSource("generated")
  void kubectlExplainHasASentenceForEveryFieldOfOurs(CustomResourceDefinition definition) {
    var root = definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();

    assertThat(GeneratedDefinitions.undescribed("", root)).isEmpty();
  }

  @Test
  void everyNumberThatUsersWriteFitsIntoOurs() {
    for (CustomResourceDefinition definition : GENERATED) {
      var root = definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
      var spec = Objects.requireNonNull(root.getProperties().get("spec"));
      Set<String> unbounded = GeneratedDefinitions.unboundedNumbers("spec", spec);
      assertThat(unbounded)
          .as(definition.getMetadata().getName())
          .allMatch(path -> path.endsWith(".masterEpoch") || path.endsWith(".job.generation"));
    }
  }
}

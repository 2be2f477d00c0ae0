package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.jobs.DeletedJob;
import dev.pliant.cli.jobs.DeletedJob.Checkpoints;
import dev.pliant.crds.api.ElasticJobResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ClaimsLeftTest {
  private static final String ASKED = "{pliant.dev/delete-checkpoints: 'true'}";

  static Stream<Arguments> jobs() {
    return Stream.of(
        arguments("without claims", "", "{}", "", List.of(), null),
        arguments("whose journal is deleted", "storage: {claim: j}", "{}", "", List.of(), null),
        arguments(
            "whose journal is kept",
            "storage: {claim: j, path: p, onDelete: Retain}",
            "{}",
            "",
            List.of("The journal stays on claim 'j' in folder p/team/digits/u."),
            null),
        arguments(
            "whose checkpoints are kept",
            "checkpoint: {claim: c}",
            "{}",
            "",
            List.of(
                "Checkpoints stay on claim 'c' in folder team/digits/u, if the job saved any. To delete"
                    + " them, mount the claim in a pod and remove that folder."),
            new Checkpoints(false, "c", "team/digits/u", null, null)),
        arguments(
            "whose checkpoints are deleted",
            "checkpoint: {claim: c, path: p}",
            ASKED,
            "",
            List.of("Deleted the checkpoints on claim 'c' in folder p/team/digits/u."),
            new Checkpoints(true, "c", "p/team/digits/u", null, null)),
        arguments(
            "whose checkpoints could not be deleted",
            "checkpoint: {claim: c}",
            ASKED,
            "Not deleted: checkpoints. Reason: no claim.",
            List.of("Not deleted: checkpoints. Reason: no claim."),
            new Checkpoints(false, "c", "team/digits/u", null, null)));
  }

  @ParameterizedTest(name = "a job {0}")
  @MethodSource("jobs")
  void saysWhatStaysAndWhere(
      String name,
      String spec,
      String annotations,
      String notCleaned,
      List<String> wantLines,
      @Nullable Checkpoints wantCheckpoints) {
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: digits, namespace: team, uid: u, annotations: %s}
            spec: {%s}
            """
                .formatted(annotations, spec),
            ElasticJobResource.class);

    DeletedJob deleted =
        ClaimsLeft.of(
            job, "it is deleted.", Optional.of(notCleaned).filter(text -> !text.isEmpty()));

    assertThat(deleted.messages().getFirst()).isEqualTo("it is deleted.");
    assertThat(deleted.messages().stream().skip(1)).containsExactlyElementsOf(wantLines);
    assertThat(deleted.checkpoints()).isEqualTo(wantCheckpoints);
  }
}

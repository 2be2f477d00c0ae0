package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.ClaimFolder.Content;
import dev.pliant.model.JobId;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class CleanerPodsTest {
  private static final JobId JOB = new JobId("team-a", "digits");
  private static final String WORKER =
      "worker: {template: {spec: {%scontainers: [{name: main, image: i, command: [c]%s}]}}}";

  static Stream<Arguments> deleted() {
    String both = "storage: {claim: j, path: a/b}, checkpoint: {claim: c}";
    return Stream.of(
        arguments("", "{}", List.of()),
        arguments("checkpoint: {path: c}", "{pliant.dev/delete-checkpoints: 'true'}", List.of()),
        arguments("storage: {claim: j}", "{}", List.of("JOURNAL j team-a/digits/u-1")),
        arguments(
            "storage: {claim: j, onDelete: Delete}", "{}", List.of("JOURNAL j team-a/digits/u-1")),
        arguments("storage: {claim: j, onDelete: Retain}", "{}", List.of()),
        arguments(both, "{}", List.of("JOURNAL j a/b/team-a/digits/u-1")),
        arguments(
            both,
            "{pliant.dev/delete-checkpoints: 'no'}",
            List.of("JOURNAL j a/b/team-a/digits/u-1")),
        arguments(
            both,
            "{pliant.dev/delete-checkpoints: 'true'}",
            List.of("JOURNAL j a/b/team-a/digits/u-1", "CHECKPOINTS c team-a/digits/u-1")));
  }

  @ParameterizedTest
  @MethodSource("deleted")
  void namesTheFoldersThatAreDeletedWithAJob(
      String spec, String annotations, List<String> wantFolders) {
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: digits, namespace: team-a, uid: u-1, annotations: %s}
            spec: {%s}
            """
                .formatted(annotations, spec),
            ElasticJobResource.class);

    assertThat(ClaimFolder.deletedWith(job))
        .extracting(f -> "%s %s %s".formatted(f.content(), f.claim(), f.folder()))
        .containsExactlyElementsOf(wantFolders);
  }

  @Test
  void mountsEachClaimOnceAndEndsInTime() {
    Pod pod =
        pod(
            "",
            "",
            false,
            folder(Content.JOURNAL, "c", "x"),
            folder(Content.CHECKPOINTS, "c", null));

    assertThat(pod.getMetadata().getName()).isEqualTo("digits-cleaner");
    assertThat(pod.getMetadata().getLabels()).containsEntry(JobNames.ROLE_LABEL, "cleaner");
    assertThat(pod.getMetadata().getOwnerReferences().getFirst().getBlockOwnerDeletion()).isFalse();
    assertThat(pod.getSpec().getActiveDeadlineSeconds()).isEqualTo(60);
    assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(pod.getSpec().getSecurityContext().getFsGroup()).isEqualTo(PodSecurity.NOBODY);
    assertThat(pod.getSpec().getVolumes())
        .extracting(volume -> volume.getPersistentVolumeClaim().getClaimName())
        .containsExactly("c");
    assertThat(pod.getSpec().getContainers())
        .extracting(Container::getArgs)
        .containsExactly(
            List.of("clean", "x", "team-a", "digits", "u-1"),
            List.of("clean", "", "team-a", "digits", "u-1"));
  }

  static Stream<Arguments> users() {
    return Stream.of(
        arguments("the job names none", "", "", false, 0L, 0L),
        arguments("none may be root", "", "", true, PodSecurity.NOBODY, PodSecurity.NOBODY),
        arguments(
            "the pod's", "securityContext: {runAsUser: 7, runAsGroup: 8}, ", "", true, 7L, 8L),
        arguments(
            "the container's",
            "securityContext: {runAsUser: 7}, ",
            ", securityContext: {runAsUser: 9}",
            false,
            9L,
            0L),
        arguments("root", "securityContext: {runAsUser: 0}, ", "", false, 0L, 0L));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("users")
  void deletesCheckpointsAsTheUserWhoWroteThem(
      String name,
      String pod,
      String container,
      boolean restricted,
      long wantUser,
      long wantGroup) {
    SecurityContext security =
        pod(pod, container, restricted, folder(Content.CHECKPOINTS, "c", null))
            .getSpec()
            .getContainers()
            .getFirst()
            .getSecurityContext();

    assertThat(security.getRunAsUser()).isEqualTo(wantUser);
    assertThat(security.getRunAsGroup()).isEqualTo(wantGroup);
    assertThat(security.getRunAsNonRoot()).isEqualTo(wantUser != 0);
    assertThat(security.getCapabilities().getAdd())
        .containsExactlyElementsOf(wantUser == 0 ? List.of("DAC_OVERRIDE") : List.of());
  }

  @Test
  void deletesTheJobsOwnFolderAlone(@TempDir Path claim) throws Exception {
    Path own = Files.createDirectories(claim.resolve("x/team-a/digits/u-1/job/journal"));
    Path other = Files.createDirectories(claim.resolve("x/team-a/digits/u-2"));
    Path elsewhere = Files.writeString(claim.resolve("kept"), "kept");
    Files.createSymbolicLink(own.resolve("link"), elsewhere);

    assertThat(clean(claim, "x")).isZero();
    assertThat(claim.resolve("x/team-a/digits/u-1")).doesNotExist();
    assertThat(other).exists();
    assertThat(elsewhere).exists();

    assertThat(clean(claim, "x")).as("the second time").isZero();
  }

  @Test
  void deletesParentsThatAreEmptyButNotThePath(@TempDir Path claim) throws Exception {
    Files.createDirectories(claim.resolve("x/team-a/digits/u-1"));
    Files.createDirectories(claim.resolve("team-a/digits/u-1"));

    assertThat(clean(claim, "x")).isZero();
    assertThat(clean(claim, "")).isZero();

    assertThat(claim.resolve("x")).isEmptyDirectory();
    assertThat(claim.resolve("team-a")).doesNotExist();
  }

  static Stream<Arguments> links() {
    return Stream.of(
        arguments("team-a"), arguments("team-a/digits"), arguments("team-a/digits/u-1"));
  }

  @ParameterizedTest
  @MethodSource("links")
  void deletesNothingThroughASymbolicLink(String link, @TempDir Path claim) throws Exception {
    Path rest = Path.of("team-a/digits/u-1");
    Path target = claim.resolve("target");
    Path at = claim.resolve(link);
    Path below = claim.resolve("target").resolve(Path.of(link).relativize(rest));
    Files.createDirectories(below);
    Files.writeString(below.resolve("model"), "a model");
    Files.createDirectories(at.getParent());
    Files.createSymbolicLink(at, target);

    assertThat(clean(claim, "")).isEqualTo(1);
    assertThat(below.resolve("model")).exists();
  }

  private static int clean(Path claim, String path) throws IOException, InterruptedException {
    String script =
        CleanerPods.SCRIPT.replace("/claim", claim.toString()).replace("/bin/busybox ", "");
    return new ProcessBuilder("sh", "-c", script, "clean", path, "team-a", "digits", "u-1")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static ClaimFolder folder(Content content, String claim, @Nullable String path) {
    return new ClaimFolder(content, claim, path, JOB, "u-1");
  }

  private static Pod pod(String pod, String container, boolean restricted, ClaimFolder... folders) {
    return CleanerPods.pod(
        new CleanerPodRequest(
            new JobNames(JOB),
            Jobs.OWNER,
            Jobs.job(WORKER.formatted(pod, container)),
            List.of(folders),
            Jobs.IMAGES,
            restricted));
  }
}

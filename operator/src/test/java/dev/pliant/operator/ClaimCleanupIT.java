package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.Images;
import dev.pliant.kubernetes.JobNames;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// What a deleted job leaves on claims, which are folders of this machine.
@Execution(ExecutionMode.SAME_THREAD)
final class ClaimCleanupIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Images IMAGES =
      new Images("pliant.local/pause:1", "pliant.local/busybox:1", "IfNotPresent");

  @TempDir static Path state = Path.of("");
  private static Optional<ClusterRoom> opened = Optional.empty();

  @BeforeAll
  static void open() throws IOException {
    ClusterRoom room = ClusterRoom.open("claims", IMAGES);
    opened = Optional.of(room);
    writable(state);
    claim(room, "state");
  }

  @AfterAll
  static void close() {
    opened.ifPresent(room -> {
      room.client.resources(ElasticJobResource.class).inNamespace(room.namespace).delete();
      soon(() ->
          assertThat(
                  room.client
                      .resources(ElasticJobResource.class)
                      .inNamespace(room.namespace)
                      .list()
                      .getItems())
              .isEmpty());
      room.client.persistentVolumes().withName(room.namespace).delete();
      room.close();
    });
  }

  private static ClusterRoom room() {
    return opened.orElseThrow();
  }

  /// For a pod's user, too: nobody changes the owner of this machine's folders.
  private static void writable(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  private static void claim(ClusterRoom room, String name) {
    Map<String, Quantity> size = Map.of("storage", new Quantity("1Gi"));
    room.client
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(room.namespace)
                .endMetadata()
                .withNewSpec()
                .withCapacity(size)
                .withAccessModes("ReadWriteMany")
                .withPersistentVolumeReclaimPolicy("Retain")
                .withStorageClassName("")
                .withNewHostPath()
                .withPath(state.toString())
                .endHostPath()
                .withNewClaimRef()
                .withNamespace(room.namespace)
                .withName(name)
                .endClaimRef()
                .endSpec()
                .build())
        .create();
    room.client
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace(room.namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteMany")
                .withStorageClassName("")
                .withVolumeName(room.namespace)
                .withNewResources()
                .withRequests(size)
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  private static void soon(ThrowingRunnable assertion) {
    within(SOON, assertion);
  }

  private static void within(Duration bound, ThrowingRunnable assertion) {
    await()
        .atMost(bound)
        .pollInterval(Duration.ofMillis(200))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  private static String create(ClusterRoom room, String name, String spec) {
    ElasticJobResource job =
        room.create(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: %s}
            spec:
              %s
              worker:
                template:
                  spec:
                    containers: [{name: main, image: "pliant.local/busybox:1", command: [sleep, "3600"]}]
            """
                .formatted(name, spec));
    soon(() -> assertThat(room.pods(name)).containsExactly(name + "-master-0"));
    assertThat(room.job(name).getMetadata().getFinalizers()).contains(JobNames.FINALIZER);
    return job.getMetadata().getUid();
  }

  /// The folder that a master's volume is, once the master runs, with something in it.
  private static Path journal(String path, String name, String uid) throws IOException {
    Path folder = state.resolve(path).resolve(room().namespace).resolve(name).resolve(uid);
    soon(() -> assertThat(folder).isDirectory());
    Path journal = Files.createDirectories(folder.resolve("job/journal"));
    writable(folder.resolve("job"));
    writable(journal);
    Files.writeString(journal.resolve("1.log"), "events");
    return folder;
  }

  private static Resource<ElasticJobResource> job(String name) {
    return room()
        .client
        .resources(ElasticJobResource.class)
        .inNamespace(room().namespace)
        .withName(name);
  }

  private static void assertGone(String name) {
    soon(() -> assertThat(job(name).get()).isNull());
    soon(() -> assertThat(room().podNames(name)).isEmpty());
  }

  @Test
  void theJournalGoesWithTheJob() throws IOException {
    String uid = create(room(), "goes", "storage: {claim: state, path: journals}");
    Path folder = journal("journals", "goes", uid);
    Path other = Files.createDirectories(folder.resolveSibling("another-uid"));

    job("goes").delete();

    assertGone("goes");
    assertThat(folder).doesNotExist();
    assertThat(other).as("that of another job of this name").exists();
    soon(() ->
        assertThat(room().events("goes"))
            .contains(
                "ClaimCleaned: deleted: journal in folder journals/%s/goes/%s on claim 'state'"
                    .formatted(room().namespace, uid)));
  }

  @Test
  void itGoesWhenTheDeletionIsInTheForeground() throws IOException {
    String uid = create(room(), "front", "storage: {claim: state}");
    Path folder = journal("", "front", uid);

    job("front").withPropagationPolicy(DeletionPropagation.FOREGROUND).delete();

    assertGone("front");
    assertThat(folder).doesNotExist();
  }

  @Test
  void itStaysWhereTheJobSaysSo() throws IOException {
    String uid = create(room(), "stays", "storage: {claim: state, onDelete: Retain}");
    Path folder = journal("", "stays", uid);

    job("stays").delete();

    assertGone("stays");
    assertThat(folder.resolve("job/journal/1.log")).exists();
  }

  @Test
  void checkpointsStayUnlessTheyAreToGo() throws IOException {
    String spec = "checkpoint: {claim: state, path: models}";
    Path kept = checkpoint("kept", create(room(), "kept", spec));
    Path gone = checkpoint("gone", create(room(), "gone", spec));

    job("kept").delete();
    job("gone")
        .edit(job -> {
          job.getMetadata().setAnnotations(Map.of(JobNames.DELETE_CHECKPOINTS_ANNOTATION, "true"));
          return job;
        });
    job("gone").delete();

    assertGone("kept");
    assertGone("gone");
    assertThat(kept.resolve("checkpoint-1/model")).exists();
    assertThat(gone.getParent()).doesNotExist();
  }

  private static Path checkpoint(String name, String uid) throws IOException {
    Path folder = state.resolve("models").resolve(room().namespace).resolve(name).resolve(uid);
    Files.createDirectories(folder.resolve("checkpoint-1"));
    Files.writeString(folder.resolve("checkpoint-1/model"), "a model");
    return folder;
  }

  @Test
  void aClaimThatIsNotThereDoesNotHoldTheJob() {
    String uid = create(room(), "absent", "storage: {claim: nowhere}");

    job("absent").delete();

    within(Duration.ofSeconds(150), () -> assertThat(job("absent").get()).isNull());
    soon(() ->
        assertThat(room().events("absent"))
            .anySatisfy(event ->
                assertThat(event)
                    .startsWith(
                        "ClaimNotCleaned: Not deleted: journal in folder %s/absent/%s on claim 'nowhere'. Reason: pod absent-cleaner did not end in 60 s"
                            .formatted(room().namespace, uid))));
  }

  /// By an operator of the whole cluster: one of this namespace alone loses its rights with it.
  @Test
  void aNamespaceThatIsDeletedDoesNotWaitForItsJobs() {
    try (ClusterRoom ending = ClusterRoom.open("ending", IMAGES)) {
      var role =
          ending.client.resource(
              new ClusterRoleBuilder()
                  .withNewMetadata()
                  .withName(ending.namespace)
                  .endMetadata()
                  .withRules(OperatorRights.overJobs())
                  .build());
      var binding =
          ending.client.resource(
              new ClusterRoleBindingBuilder()
                  .withNewMetadata()
                  .withName(ending.namespace)
                  .endMetadata()
                  .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", ending.namespace)
                  .addNewSubject("", "ServiceAccount", "operator-it", ending.namespace)
                  .build());
      role.create();
      binding.create();
      try {
        create(ending, "last", "storage: {claim: nowhere}");

        ending.client.namespaces().withName(ending.namespace).delete();

        soon(
            () -> assertThat(ending.client.namespaces().withName(ending.namespace).get()).isNull());
      } finally {
        binding.delete();
        role.delete();
      }
    }
  }
}

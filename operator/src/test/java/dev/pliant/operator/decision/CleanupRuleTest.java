package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Reactions.of;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.ClaimFolder.Content;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.JobId;
import dev.pliant.operator.decision.Action.AddFinalizer;
import dev.pliant.operator.decision.Action.CreateCleaner;
import dev.pliant.operator.decision.Action.CreateMaster;
import dev.pliant.operator.decision.Action.RemoveFinalizer;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CleanupRuleTest {
  private static final ClaimFolder JOURNAL =
      new ClaimFolder(Content.JOURNAL, "state", "jobs", new JobId("team", "digits"), "u-1");
  private static final String M0 = "digits-master-0";
  private static final String W0 = "digits-worker-0";
  private static final String CLEANER = "digits-cleaner";

  private static ClaimCleanup cleanup(boolean finalizer, List<ClaimFolder> folders) {
    return new ClaimCleanup(finalizer, true, folders, NOW, null, false);
  }

  /// A job with a journal on a claim that was deleted now, and whose pods have ended.
  private static Scene deletedJob() {
    return Scene.running()
        .master(0, Stage.SUCCEEDED)
        .deleting()
        .cleanup(cleanup(true, List.of(JOURNAL)));
  }

  private static PodView cleaner(Stage stage, Instant createdAt) {
    PodView pod = Scene.view(CLEANER, JobNames.CLEANER, stage);
    return Scene.lived(pod, createdAt, NOW);
  }

  private static void assertEnds(Reaction reaction) {
    assertThat(of(reaction, RemoveFinalizer.class)).hasSize(1);
    assertThat(of(reaction, CreateCleaner.class)).isEmpty();
    assertThat(reaction.status()).isNull();
  }

  private static void assertStays(Reaction reaction, String why) {
    assertEnds(reaction);
    assertThat(reaction.notices())
        .contains(
            Notice.warning(
                "ClaimNotCleaned",
                "Not deleted: journal in folder jobs/team/digits/u-1 on claim 'state'. Reason: %s."
                        .formatted(why)
                    + " Mount the claim and delete the folder to free its space."));
  }

  private static void assertWaits(Reaction reaction, @Nullable Instant until) {
    assertThat(of(reaction, RemoveFinalizer.class)).isEmpty();
    assertThat(of(reaction, CreateCleaner.class)).isEmpty();
    assertThat(reaction.lookAgainAt()).isEqualTo(until);
  }

  @Test
  void putsItsFinalizerOnAJobWithAClaimBeforeTheMasterStarts() {
    Reaction reaction = Scene.firstSight().cleanup(cleanup(false, List.of(JOURNAL))).decide();

    List<Action> order =
        reaction.actions().stream()
            .filter(action -> action instanceof AddFinalizer || action instanceof CreateMaster)
            .toList();
    assertThat(order).containsExactly(new AddFinalizer(), new CreateMaster(0));
  }

  @Test
  void leavesOtherJobsWithoutOne() {
    assertThat(of(Scene.firstSight().decide(), AddFinalizer.class)).isEmpty();
    assertThat(
            of(
                Scene.running().cleanup(cleanup(true, List.of(JOURNAL))).decide(),
                AddFinalizer.class))
        .isEmpty();
    assertThat(
            of(
                Scene.firstSight()
                    .fault("no workers")
                    .cleanup(cleanup(false, List.of(JOURNAL)))
                    .decide(),
                AddFinalizer.class))
        .isEmpty();
  }

  @Test
  void doesNothingForADeletedJobWithoutTheFinalizer() {
    Reaction reaction = deletedJob().cleanup(cleanup(false, List.of(JOURNAL))).decide();

    assertThat(reaction).isEqualTo(Reaction.nothing());
  }

  @Test
  void removesTheFinalizerAtOnceWhereNothingIsDeleted() {
    Reaction reaction =
        deletedJob().master(0, Stage.RUNNING).cleanup(cleanup(true, List.of())).decide();

    assertEnds(reaction);
    assertThat(reaction.notices()).isEmpty();
    assertThat(deleted(reaction)).as("Kubernetes collects them").isEmpty();
  }

  @Test
  void endsTheJobsPodsFirst() {
    Scene scene =
        deletedJob().master(0, Stage.RUNNING).worker(0, Stage.RUNNING).worker(1, Stage.FAILED);

    Reaction reaction = scene.decide();
    assertThat(deleted(reaction)).containsExactly(M0, W0);
    assertWaits(reaction, NOW.plusSeconds(660));

    Reaction going =
        scene
            .pod(Scene.going(Scene.view(M0, JobNames.MASTER, Stage.RUNNING), 30))
            .pod(Scene.going(Scene.worker(W0, Stage.RUNNING), 5))
            .decide();
    assertThat(deleted(going)).isEmpty();
    assertWaits(going, NOW.plusSeconds(65));
  }

  @Test
  void waitsForPodsOfAMachineThatDoesNotAnswerButNotForever() {
    Scene scene = deletedJob().pod(Scene.going(Scene.view(M0, JobNames.MASTER, Stage.RUNNING), 30));

    assertWaits(scene.later(Duration.ofSeconds(89)).decide(), NOW.plusSeconds(90));
    assertStays(scene.later(Duration.ofSeconds(1)).decide(), "digits-master-0 did not end");
  }

  @Test
  void startsTheCleanerOnceThePodsHaveEnded() {
    assertThat(of(deletedJob().decide(), CreateCleaner.class))
        .containsExactly(new CreateCleaner(List.of(JOURNAL)));
  }

  @Test
  void removesTheFinalizerWhenTheCleanerHasSucceeded() {
    Reaction reaction = deletedJob().pod(cleaner(Stage.SUCCEEDED, NOW)).decide();

    assertEnds(reaction);
    assertThat(reaction.notices())
        .containsExactly(
            Notice.normal(
                "ClaimCleaned",
                "deleted: journal in folder jobs/team/digits/u-1 on claim 'state'"));
  }

  @Test
  void waitsForTheCleanerForAMinute() {
    Scene scene = deletedJob().pod(cleaner(Stage.RUNNING, NOW));

    assertWaits(scene.later(Duration.ofSeconds(59)).decide(), NOW.plusSeconds(60));
    Reaction late = scene.later(Duration.ofSeconds(1)).decide();
    assertStays(late, "pod digits-cleaner did not end in 60 s");
    assertThat(deleted(late)).containsExactly(CLEANER);
  }

  @Test
  void tellsWhatTheCleanerWaitedFor() {
    Scene scene =
        deletedJob()
            .pod(
                Scene.waits(
                    cleaner(Stage.PENDING, NOW), "Unschedulable", "claim \"state\" not found"))
            .later(Duration.ofSeconds(60));

    assertStays(
        scene.decide(),
        "pod digits-cleaner did not end in 60 s: Unschedulable claim \"state\" not found");
  }

  @Test
  void givesUpWhenTheCleanerFails() {
    assertStays(deletedJob().pod(cleaner(Stage.FAILED, NOW)).decide(), "pod digits-cleaner failed");
  }

  @Test
  void triesForAMinuteToStartACleanerThatIsRefused() {
    ClaimCleanup tried = new ClaimCleanup(true, true, List.of(JOURNAL), NOW, NOW, false);
    Scene scene = deletedJob().cleanup(tried);

    assertWaits(
        scene.refused(CLEANER, "quota exceeded", NOW.plusSeconds(2)).decide(), NOW.plusSeconds(2));
    assertThat(of(scene.later(Duration.ofSeconds(2)).decide(), CreateCleaner.class)).hasSize(1);
    assertStays(
        scene.later(Duration.ofSeconds(58)).decide(),
        "pod digits-cleaner was refused: quota exceeded");
  }

  @Test
  void doesNotWaitInANamespaceThatIsBeingDeleted() {
    ClaimCleanup ending = new ClaimCleanup(true, true, List.of(JOURNAL), NOW, NOW, true);

    assertStays(deletedJob().cleanup(ending).decide(), "the namespace is being deleted");
  }
}

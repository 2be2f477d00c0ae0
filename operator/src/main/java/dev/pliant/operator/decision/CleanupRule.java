package dev.pliant.operator.decision;

import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.CleanerPods;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.PodWaiting;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a job has on a claim goes with the job. A job that has a claim gets a finalizer before its
/// first master; once it is deleted, the first of these that applies:
///
/// | the deleted job | what follows |
/// |---|---|
/// | has no finalizer of ours | nothing |
/// | has no folder to delete | the finalizer is removed |
/// | is in a namespace that is being deleted | the folders stay |
/// | has pods that run | they are deleted and waited for, at most their grace (10 minutes) and a minute; then the folders stay |
/// | has no cleaner pod | it is made; where the cluster refuses it for a minute, the folders stay |
/// | has a cleaner that succeeded | the finalizer is removed |
/// | has a cleaner that failed, or did not end within a minute | the folders stay |
///
/// Where folders stay, a Warning names them and the finalizer is removed: a deletion never hangs.
final class CleanupRule {
  static final String CLEANED = "ClaimCleaned";
  static final String NOT_CLEANED = "ClaimNotCleaned";

  /// How long pods may take beyond their grace. A machine that is gone never reports their end.
  static final Duration MACHINE_ANSWERS = Duration.ofSeconds(60);

  private static final Duration MOST_GRACE = Duration.ofMinutes(10);

  private CleanupRule() {}

  /// Before anything of the job can be on a claim; an invalid job never has anything there.
  static void guard(Observed seen, Draft draft) {
    ClaimCleanup cleanup = seen.job().cleanup();
    if (cleanup.onClaim() && !cleanup.finalizer() && seen.job().job() != null) {
      draft.act(new Action.AddFinalizer());
    }
  }

  static Reaction deleted(Observed seen) {
    if (!seen.job().cleanup().finalizer()) {
      return Reaction.nothing();
    }
    Draft draft = new Draft();
    apply(seen, draft);
    return new Reaction(
        draft.actions(), null, Reaction.News.NONE, draft.notices(), draft.lookAgainAt());
  }

  private static void apply(Observed seen, Draft draft) {
    ClaimCleanup cleanup = seen.job().cleanup();
    if (cleanup.folders().isEmpty() || seen.job().names() == null) {
      draft.act(new Action.RemoveFinalizer());
    } else if (cleanup.namespaceEnds()) {
      giveUp(seen, "the namespace is being deleted", draft);
    } else if (podsEnded(seen, draft)) {
      clean(seen, draft);
    }
  }

  /// Whether the job's pods have ended. Those that were not told to are deleted.
  private static boolean podsEnded(Observed seen, Draft draft) {
    List<PodView> living = seen.jobPods().stream().filter(pod -> !pod.ended()).toList();
    draft.delete(
        living.stream().filter(PodView::stays).toList(),
        null,
        Rule.PODS_DELETED,
        Objection.JOB_IS_DELETED);
    List<Instant> awaited =
        living.stream().map(pod -> lost(pod, seen)).filter(seen.now()::isBefore).toList();
    awaited.forEach(draft::lookAgainAt);
    if (awaited.isEmpty() && !living.isEmpty()) {
      String names = Draft.names(living.stream().map(PodView::name).toList());
      giveUp(seen, "%s did not end".formatted(names), draft);
    }
    return living.isEmpty();
  }

  /// From when on nobody waits for a pod.
  private static Instant lost(PodView pod, Observed seen) {
    Duration grace =
        pod.grace() == null || pod.grace() > MOST_GRACE.toSeconds()
            ? MOST_GRACE
            : Duration.ofSeconds(pod.grace());
    Instant deleted = Objects.requireNonNullElse(seen.job().cleanup().deletedAt(), seen.now());
    return deleted.plus(grace).plus(MACHINE_ANSWERS);
  }

  private static void clean(Observed seen, Draft draft) {
    Optional<PodView> found = seen.cleanerPod();
    if (found.isEmpty()) {
      start(seen, draft);
      return;
    }
    PodView cleaner = found.get();
    Instant end = cleaner.createdAt().plus(CleanerPods.BOUND);
    if (cleaner.stage() == Stage.SUCCEEDED) {
      draft.tell(Notice.normal(CLEANED, "deleted: " + folders(seen)));
      draft.act(new Action.RemoveFinalizer());
    } else if (cleaner.stage() == Stage.FAILED) {
      giveUp(seen, "pod %s failed".formatted(cleaner.name()), draft);
    } else if (seen.now().isBefore(end)) {
      draft.lookAgainAt(end);
    } else {
      giveUp(seen, unfinished(cleaner), draft);
    }
  }

  private static void start(Observed seen, Draft draft) {
    JobNames names = Objects.requireNonNull(seen.job().names());
    Refusal refusal = seen.refusalOf(names.cleanerPod());
    Instant since = Objects.requireNonNullElse(seen.job().cleanup().triedSince(), seen.now());
    Instant end = since.plus(CleanerPods.BOUND);
    if (!seen.now().isBefore(end)) {
      giveUp(
          seen,
          refusal == null
              ? "pod %s was deleted before it ended".formatted(names.cleanerPod())
              : "pod %s was refused: %s".formatted(names.cleanerPod(), refusal.message()),
          draft);
    } else if (refusal != null && refusal.tryAgainAt().isAfter(seen.now())) {
      draft.lookAgainAt(refusal.tryAgainAt().isBefore(end) ? refusal.tryAgainAt() : end);
    } else {
      draft.act(new Action.CreateCleaner(seen.job().cleanup().folders()));
    }
  }

  private static String unfinished(PodView cleaner) {
    PodWaiting waiting = cleaner.waiting();
    String bound =
        "pod %s did not end in %d s".formatted(cleaner.name(), CleanerPods.BOUND.toSeconds());
    return waiting == null
        ? bound
        : "%s: %s %s".formatted(bound, waiting.reason(), waiting.message()).strip();
  }

  private static void giveUp(Observed seen, String why, Draft draft) {
    draft.tell(
        Notice.warning(
            NOT_CLEANED,
            "Not deleted: %s. Reason: %s. Mount the claim and delete the folder to free its space."
                .formatted(folders(seen), why)));
    seen.cleanerPod()
        .filter(PodView::stays)
        .ifPresent(pod -> draft.act(new Action.DeletePod(pod.name(), pod.uid(), null)));
    draft.act(new Action.RemoveFinalizer());
  }

  private static String folders(Observed seen) {
    return seen.job().cleanup().folders().stream()
        .map(CleanupRule::folder)
        .collect(Collectors.joining(", "));
  }

  private static String folder(ClaimFolder folder) {
    return "%s in folder %s on claim '%s'"
        .formatted(folder.content().word(), folder.folder(), folder.claim());
  }
}

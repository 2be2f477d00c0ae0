package dev.pliant.model.decision;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// Every rule that decides. JSON, filters and the documentation use its [#word].
public enum Rule {
  // The job.
  PLAN_CHANGED,
  BEGUN_ANEW,
  SCALE_REQUESTED,
  REQUEST_ACCEPTED,
  REQUEST_REFUSED(true),
  STOP_REQUESTED,
  SUSPENDED,
  RESUMED,
  SUSPENDED_WITHOUT_MASTER,
  FIRST_NODE_RUNS,
  ALL_SUCCEEDED,
  GROUP_SUCCEEDED,
  OTHERS_DO_NOT_FINISH(true),
  ALL_NODES_ENDED,
  GROUP_GIVEN_UP(true),
  DATASET_FAILED(true),
  // The number of nodes.
  GROW,
  SHRINK,
  REPLACEMENT_DUE,
  // Nodes that ended.
  GONE_FROM_OUTSIDE,
  TOO_MANY_FROM_OUTSIDE(true),
  GONE_WHILE_SUSPENDED,
  OUT_OF_MEMORY(true),
  OUT_OF_MEMORY_AT_MOST(true),
  OUT_OF_MEMORY_AT_LIMITS(true),
  FATAL_ERROR(true),
  FAILED,
  RESTARTS_USED_UP(true),
  // Nodes that do not start.
  PENDING_TOO_LONG(true),
  RESTART_TOOK_TOO_LONG(true),
  // Nodes that are replaced while they run.
  SUCCESSOR_RUNS,
  ENDED_BEFORE_SUCCESSOR_RAN,
  SUCCEEDED_BEFORE_SUCCESSOR_RAN,
  SUCCESSOR_ENDED,
  // Groups.
  WORLD_FORMED,
  LEFT_OUT(true),
  TOO_FEW(true),
  PROGRESS_NOT_RECORDED(true),
  TRAINING_COMPLETE,
  // Data.
  WORKER_FAILED(true),
  WORKER_GONE,
  LATE_SHARDS(true),
  RETRIES_USED_UP(true),
  CHECKPOINT_RESTORED,
  // The operator's, about pods.
  PODS_CREATED,
  PODS_LEAVING,
  PODS_REMOVED,
  PODS_FORGOTTEN,
  PODS_SUSPENDED,
  PODS_CLEANED,
  PODS_DELETED,
  MASTER_CREATED,
  MASTER_SUPERSEDED,
  MASTER_FORGOTTEN,
  SECRET_REPLACED(true),
  // The sizes of one job.
  FIRST_SIZES,
  INITIAL_WORKERS,
  INITIAL_SERVERS,
  HOT_SERVERS,
  WORKERS_BY_SERVER_LOAD,
  GROW_INTO_FREE_ROOM,
  SHRINK_TO_EFFICIENT_SIZE,
  NEARLY_OUT_OF_MEMORY,
  SLOWER_THAN_BEFORE,
  // The sizes of all jobs of a cluster.
  GIVEN_AS_LEAST_FULFILLED,
  TAKEN_AS_MOST_FULFILLED,
  RAISED_TO_MINIMUM,
  LOWERED_TO_MAXIMUM,
  LOWERED_TO_MINIMUM,
  SIZE_KEPT,
  WAITS_FOR_ROOM(true),
  STARTS_WITHOUT_ROOM(true),
  FITS_NO_NODE(true),
  INVALID_JOB(true);

  private final boolean trouble;

  Rule() {
    this(false);
  }

  Rule(boolean trouble) {
    this.trouble = trouble;
  }

  /// Whether something does not go as it was requested: a warning for whoever watches the job.
  public boolean isTrouble() {
    return trouble;
  }

  /// `GONE_FROM_OUTSIDE` as `gone-from-outside`.
  public String word() {
    return Words.kebab(this);
  }

  /// As Kubernetes writes reasons: `GONE_FROM_OUTSIDE` as `GoneFromOutside`.
  public String reason() {
    return Arrays.stream(name().split("_"))
        .map(part -> part.charAt(0) + part.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /// The rule of a word; empty for a word that this version does not know.
  public static Optional<Rule> find(String word) {
    return Arrays.stream(values()).filter(rule -> rule.word().equals(word)).findFirst();
  }

  /// Reads a word.
  public static Rule of(String word) {
    return find(word)
        .orElseThrow(() ->
            new PliantException(
                ErrorCode.BAD_NAME,
                "There is no rule '%s'.".formatted(word.replaceAll("\\p{Cntrl}", "?"))));
  }
}

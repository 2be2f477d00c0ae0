package dev.pliant.views;

import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Objection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Parts of sentences: numbers with their nouns, lists, times, sizes.
final class Phrases {
  /// How much of a line that came from outside is shown.
  static final int MAX_LINE = 400;

  private Phrases() {}

  /// `1 worker is`, `2 workers are`.
  static String count(long count, String one, String more) {
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : more);
  }

  /// Those that are named, and how many more there are.
  static String list(List<?> first, int count) {
    String named = first.stream().map(Object::toString).collect(Collectors.joining(", "));
    return count <= first.size()
        ? named
        : String.format(Locale.ROOT, "%s and %,d more", named, count - first.size());
  }

  /// Sentences with a full stop each. Empty ones are left out.
  static String sentences(String... sentences) {
    return Arrays.stream(sentences)
        .filter(sentence -> !sentence.isEmpty())
        .map(sentence -> sentence.endsWith(".") ? sentence : sentence + ".")
        .collect(Collectors.joining(" "));
  }

  static String duration(long millis) {
    if (millis < 1_000) {
      return millis + " ms";
    }
    long seconds = millis / 1_000;
    if (seconds < 120) {
      return millis % 1_000 == 0
          ? seconds + " s"
          : String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
    long minutes = seconds / 60;
    return minutes < 120 ? minutes + " min" : minutes / 60 + " h";
  }

  static String number(double number) {
    return String.format(Locale.ROOT, number >= 100 ? "%,.0f" : "%,.1f", number);
  }

  static String mib(long mib) {
    return String.format(Locale.ROOT, "%,d MiB of memory", mib);
  }

  /// What a node gets, after `before`; empty where nothing is bounded.
  static String size(String before, NodeResources resources) {
    List<String> parts = new ArrayList<>();
    if (resources.cpu() > 0) {
      parts.add(number(resources.cpu()).replace(".0", "") + " cores");
    }
    if (resources.memoryMib() > 0) {
      parts.add(mib(resources.memoryMib()));
    }
    if (resources.gpus() > 0) {
      parts.add(count(resources.gpus(), "GPU", "GPUs"));
    }
    if (resources.diskMib() > 0) {
      parts.add(String.format(Locale.ROOT, "%,d MiB of disk", resources.diskMib()));
    }
    if (parts.isEmpty()) {
      return before.isEmpty() ? "no limit" : "";
    }
    return before + String.join(", ", parts);
  }

  static String plural(String role) {
    return role.equals("ps") ? "parameter servers" : role + "s";
  }

  static String phase(JobPhase phase) {
    return switch (phase) {
      case PENDING -> "is pending";
      case RUNNING -> "is running";
      case SUSPENDED -> "is suspended";
      case STOPPING -> "is stopping";
      case SUCCEEDED -> "has succeeded";
      case FAILED -> "has failed";
      case STOPPED -> "is stopped";
    };
  }

  /// The first line of what came from outside, without control characters and not too long.
  static String line(String text) {
    String line =
        text.lines().map(String::strip).filter(one -> !one.isEmpty()).findFirst().orElse("");
    String clean = line.replaceAll("\\p{Cntrl}", "?");
    String shown = clean.length() <= MAX_LINE ? clean : clean.substring(0, MAX_LINE - 1) + "…";
    return shown.endsWith(".") && !shown.endsWith("..")
        ? shown.substring(0, shown.length() - 1)
        : shown;
  }

  /// Why a request is refused; empty where the reason says nothing beside another one.
  static String objection(Objection objection) {
    return switch (objection) {
      case ALL_OR_NOTHING -> "";
      case INVALID_SIZE -> "a node cannot have the size that is requested";
      case JOB_IS_ENDING -> "the job is ending, or has ended";
      case JOB_IS_SUSPENDED -> "the job is suspended";
      case JOB_LIMITS -> "the nodes would exceed spec.resourceLimits";
      case NODE_NAMED_TWICE -> "a node is named twice";
      case ROLE_BOUNDS -> "the count is outside minReplicas and maxReplicas";
      case UNKNOWN_NODE -> "it names a node that does not exist";
      case UNKNOWN_ROLE -> "it names a role that the job does not have";
      case ALL_REQUESTED_HAVE_ARRIVED,
          AT_LARGEST_SIZE,
          AT_SMALLEST_SIZE,
          BELOW_LIMIT_OF_OUTSIDE_ENDS,
          CAUSE_IS_OUTSIDE_PROGRAM,
          FEWER_PLACES_TAKEN_THAN_REQUESTED,
          HAS_GPUS,
          JOB_CAN_RESUME,
          JOB_HAS_ENDED,
          JOB_IS_DELETED,
          KEPT_UNTIL_REQUESTED_AGAIN,
          LAST_CALL_OVER,
          LIMIT_OF_OUTSIDE_ENDS_REACHED,
          LONGEST_WAIT_OVER,
          MAY_HAVE_CAUSED_FAILURE,
          MODEL_GOES_BACK,
          NEWER_MASTER_RUNS,
          NEW_PLAN_GIVEN,
          NOTHING_WOULD_BE_RECORDED,
          NOT_IN_PLAN,
          NO_LACK_OF_ROOM,
          NO_RECORD_MAY_BE_LOST,
          OLDER_THAN_SECRET,
          OLDEST_HOLD_STATE_LONGEST,
          ONE_PLACE_FOR_BOTH,
          OTHERS_WOULD_WAIT,
          PROGRAM_WOULD_FAIL_AGAIN,
          PLACE_IS_FILLED,
          RESTARTS_LEFT,
          RESTARTS_USED_UP,
          SAME_CAUSE_AS_BEFORE,
          SIZE_WAS_REQUESTED,
          SMALLER_MAY_FIND_ROOM,
          SURVIVORS_HAVE_ARRIVED,
          TOO_MANY_KEPT,
          THEY_END_BY_THEMSELVES,
          WERE_TOLD_TO_END,
          WORK_IS_DONE,
          WORLD_SIZE_LIMIT,
          ALL_ARE_AT_MINIMUM,
          ANOTHER_JOB_BELOW_MINIMUM,
          CHANGE_IS_TOO_SMALL,
          FITS_NO_EMPTY_NODE,
          LOAD_ABOVE_CEILING,
          MADE_TRAINING_SLOWER,
          MINIMUM_HAS_NO_ROOM,
          NOTHING_MEASURED_YET,
          NOT_ELASTIC,
          NO_FREE_ROOM,
          ONE_STEP_A_PLAN,
          PODS_DO_NOT_ALL_RUN,
          REQUESTS_MAY_FIT,
          SERVERS_WOULD_BE_OVERLOADED,
          SET_BY_USER,
          SMALLER_THAN_ROOM,
          TRAINING_TOO_INEFFICIENT,
          WORKERS_NEED_THE_REST,
          WOULD_RUN_OUT_OF_MEMORY_AGAIN ->
          objection.word().replace('-', ' ');
    };
  }
}

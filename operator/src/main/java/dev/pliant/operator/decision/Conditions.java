package dev.pliant.operator.decision;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A job's conditions, one of each type. The time of one changes when its status does, and only
/// then.
final class Conditions {
  static final String ACCEPTED = "Accepted";
  static final String MASTER_READY = "MasterReady";
  static final String PODS_READY = "PodsReady";
  static final String NAMES_FREE = "NamesFree";
  static final String JOURNAL_VOLATILE = "JournalVolatile";
  static final String PLAN_CURRENT = "PlanCurrent";
  static final String COMPLETE = "Complete";
  static final String FAILED = "Failed";

  static final String UNKNOWN = "Unknown";

  private final Map<String, Condition> byType = new LinkedHashMap<>();
  private final long generation;
  private final String time;

  Conditions(@Nullable List<Condition> before, long generation, String time) {
    if (before != null) {
      before.forEach(condition -> byType.put(condition.getType(), condition));
    }
    this.generation = generation;
    this.time = time;
  }

  void set(String type, boolean status, String reason, String message) {
    set(type, status, reason, message, generation);
  }

  /// Of an earlier generation than the job's: what follows from the newest is not known yet.
  void set(String type, boolean status, String reason, String message, long of) {
    set(type, status ? "True" : "False", reason, message, of);
  }

  /// Neither: it is about to become true.
  void setUnknown(String type, String reason, String message) {
    set(type, UNKNOWN, reason, message, generation);
  }

  private void set(String type, String word, String reason, String message, long of) {
    Condition before = byType.get(type);
    boolean same = before != null && word.equals(before.getStatus());
    byType.put(
        type,
        new Condition(
            same && before != null
                ? Objects.requireNonNullElse(before.getLastTransitionTime(), time)
                : time,
            message,
            of,
            reason,
            word,
            type));
  }

  boolean has(String type) {
    return byType.containsKey(type);
  }

  @Nullable Condition get(String type) {
    return byType.get(type);
  }

  List<Condition> list() {
    return new ArrayList<>(byType.values());
  }

  static @Nullable Condition find(@Nullable List<Condition> conditions, String type) {
    return conditions == null
        ? null
        : conditions.stream().filter(c -> type.equals(c.getType())).findFirst().orElse(null);
  }
}

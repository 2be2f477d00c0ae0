package dev.pliant.master.platform.kubernetes;

import dev.pliant.rpc.Backoff;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Objects by which users wish something, while they wait to be looked at: each in its newest form,
/// whatever order its forms come in, for a list may be older than what was seen before. One that
/// fails waits by itself, and longer each time. Where the machine takes nothing, all wait, so that
/// none goes before one that is older.
///
/// Time is told; nothing here waits. For one thread at a time.
final class WishQueue {
  private record Waiting(HasMetadata object, long dueNanos) {}

  private final Map<String, Waiting> waiting = new LinkedHashMap<>();

  /// By uid; what is deleted is forgotten.
  private final Map<String, Long> generations = new HashMap<>();

  private final Map<String, Integer> failures = new HashMap<>();
  private final String jobUid;
  private int holds;
  private long heldUntilNanos;

  /// @param job as it was read when the master began: an older form of it counts no more
  WishQueue(HasMetadata job, long nowNanos) {
    jobUid = job.getMetadata().getUid();
    generations.put(jobUid, generation(job));
    heldUntilNanos = nowNanos;
  }

  private static long generation(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getGeneration(), 0L);
  }

  /// @return whether it waits now; not where a newer form of it was seen
  boolean offer(HasMetadata object, long nowNanos) {
    String uid = object.getMetadata().getUid();
    long generation = generation(object);
    if (generation < generations.getOrDefault(uid, 0L)) {
      return false;
    }
    generations.put(uid, generation);
    failures.remove(uid);
    waiting.put(uid, new Waiting(object, nowNanos));
    return true;
  }

  /// It was deleted: nobody waits for an answer. What the job was is remembered, for there is but
  /// one and a list may have lacked it.
  void forget(HasMetadata object) {
    String uid = object.getMetadata().getUid();
    waiting.remove(uid);
    failures.remove(uid);
    if (!uid.equals(jobUid)) {
      generations.remove(uid);
    }
  }

  /// Takes all that is due, the oldest first: of wishes that contradict each other the newest
  /// counts.
  List<HasMetadata> take(long nowNanos) {
    if (nowNanos - heldUntilNanos < 0) {
      return List.of();
    }
    List<HasMetadata> due = new ArrayList<>();
    waiting
        .values()
        .removeIf(one -> {
          boolean isDue = nowNanos - one.dueNanos() >= 0;
          if (isDue) {
            due.add(one.object());
          }
          return isDue;
        });
    due.sort(
        Comparator.comparing((HasMetadata o) -> o.getMetadata().getCreationTimestamp())
            .thenComparing(o -> o.getMetadata().getName()));
    return due;
  }

  /// It was looked at, and is done with.
  void done(HasMetadata object) {
    failures.remove(object.getMetadata().getUid());
    holds = 0;
  }

  /// It failed, and waits, unless a newer form of it does.
  void again(HasMetadata object, long nowNanos) {
    String uid = object.getMetadata().getUid();
    if (!generations.containsKey(uid)) {
      return; // It was deleted meanwhile.
    }
    int times = failures.merge(uid, 1, Integer::sum);
    waiting.putIfAbsent(uid, new Waiting(object, nowNanos + Backoff.API.after(times).toNanos()));
  }

  /// The machine takes nothing now: these wait with all others.
  void hold(List<HasMetadata> taken, long nowNanos) {
    holds++;
    heldUntilNanos = nowNanos + Backoff.API.after(holds).toNanos();
    taken.forEach(
        one -> waiting.putIfAbsent(one.getMetadata().getUid(), new Waiting(one, nowNanos)));
  }

  /// How long nothing is due if nothing comes.
  long waitNanos(long nowNanos) {
    long soonest =
        waiting.values().stream()
            .mapToLong(one -> one.dueNanos() - nowNanos)
            .min()
            .orElse(Long.MAX_VALUE);
    return Math.max(Math.max(soonest, heldUntilNanos - nowNanos), 0);
  }
}

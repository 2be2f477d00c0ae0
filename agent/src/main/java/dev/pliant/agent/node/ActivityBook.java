package dev.pliant.agent.node;

import dev.pliant.model.WorkerId;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/// How long the processes of a node spent in each activity, summed over all of them since the node
/// began. The time is told to it; safe for use by many threads.
public final class ActivityBook {
  private record Doing(Activity activity, long sinceNanos) {}

  private final Map<WorkerId, Doing> doing = new LinkedHashMap<>();
  private final EnumMap<Activity, Long> nanos = new EnumMap<>(Activity.class);

  /// A process does something from now on; one that was not heard of begins to count here.
  public synchronized void begins(WorkerId worker, Activity activity, long now) {
    ends(worker, now);
    doing.put(worker, new Doing(activity, now));
  }

  /// A process has ended.
  public synchronized void ends(WorkerId worker, long now) {
    Doing before = doing.remove(worker);
    if (before != null) {
      nanos.merge(before.activity(), Math.max(0, now - before.sinceNanos()), Long::sum);
    }
  }

  /// Milliseconds by activity, up to now.
  public synchronized Map<Activity, Long> millis(long now) {
    EnumMap<Activity, Long> sums = new EnumMap<>(nanos);
    doing
        .values()
        .forEach(
            each -> sums.merge(each.activity(), Math.max(0, now - each.sinceNanos()), Long::sum));
    sums.replaceAll((_, sum) -> sum / 1_000_000);
    return sums;
  }
}

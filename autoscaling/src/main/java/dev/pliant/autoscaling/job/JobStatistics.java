package dev.pliant.autoscaling.job;

import java.util.ArrayList;
import java.util.List;

/// What is known of a job's run, as a value that plans are made from. Values may be wrong; whoever
/// reads them leaves out what cannot be.
///
/// @param usage what nodes used, the oldest record first
/// @param speeds how fast the training was, the oldest first
/// @param room what the platform has left
public record JobStatistics(
    List<UsageRecord> usage, List<SpeedSample> speeds, ModelFacts model, FreeRoom room) {
  /// How many records are kept of each run of an equal number of nodes.
  public static final int KEPT_EACH_RUN = 5;

  /// How many runs of equal numbers of nodes the speeds go back.
  public static final int RUNS_KEPT = 64;

  /// Nothing is known.
  public static final JobStatistics EMPTY =
      new JobStatistics(List.of(), List.of(), ModelFacts.UNKNOWN, FreeRoom.UNKNOWN);

  public JobStatistics {
    usage = List.copyOf(usage);
    speeds = List.copyOf(speeds);
  }

  /// With one more record. Of what nodes used, no more than the newest [#KEPT_EACH_RUN] are ever
  /// read, so no more are kept.
  public JobStatistics with(UsageRecord record) {
    List<UsageRecord> more = new ArrayList<>(usage);
    more.add(record);
    int from = Math.max(0, more.size() - KEPT_EACH_RUN);
    return new JobStatistics(more.subList(from, more.size()), speeds, model, room);
  }

  /// With one more speed. Each run of an equal number of nodes keeps its newest [#KEPT_EACH_RUN],
  /// and the oldest of more than [#RUNS_KEPT] runs is forgotten.
  public JobStatistics with(SpeedSample sample) {
    List<SpeedSample> more = new ArrayList<>(speeds);
    more.add(sample);
    int last = more.size() - 1;
    int first = startOfRun(more, last);
    if (last - first >= KEPT_EACH_RUN) {
      more.remove(first);
    }
    int runs = 0;
    for (int end = more.size() - 1; end >= 0; end = startOfRun(more, end) - 1) {
      runs++;
      if (runs == RUNS_KEPT) {
        more.subList(0, startOfRun(more, end)).clear();
        break;
      }
    }
    return new JobStatistics(usage, more, model, room);
  }

  private static int startOfRun(List<SpeedSample> samples, int end) {
    int start = end;
    while (start > 0 && sameSize(samples.get(start - 1), samples.get(end))) {
      start--;
    }
    return start;
  }

  private static boolean sameSize(SpeedSample a, SpeedSample b) {
    return a.workers() == b.workers() && a.servers() == b.servers();
  }

  public JobStatistics withModel(ModelFacts facts) {
    return new JobStatistics(usage, speeds, facts, room);
  }

  public JobStatistics withRoom(FreeRoom free) {
    return new JobStatistics(usage, speeds, model, free);
  }
}

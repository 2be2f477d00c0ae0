package dev.pliant.autoscaling.job;

import java.util.ArrayList;
import java.util.List;

/// Speeds that were measured one after the other at an equal number of nodes.
///
/// @param samples how many there are
/// @param recordsPerSecond their mean
/// @param lastMillis when the newest one was measured
public record SpeedRun(
    int workers, int servers, int samples, double recordsPerSecond, long lastMillis) {

  /// All runs, the oldest first. Samples that cannot be, or are of the future, are left out.
  ///
  /// @param mostSamples how many of the newest samples of a run count
  public static List<SpeedRun> of(List<SpeedSample> speeds, int mostSamples, long nowMillis) {
    List<SpeedRun> runs = new ArrayList<>();
    List<SpeedSample> run = new ArrayList<>();
    for (SpeedSample sample : speeds) {
      if (!sample.isUsable() || sample.atMillis() > nowMillis) {
        continue;
      }
      if (!run.isEmpty() && !isOf(sample, run.getFirst())) {
        runs.add(mean(run, mostSamples));
        run.clear();
      }
      run.add(sample);
    }
    if (!run.isEmpty()) {
      runs.add(mean(run, mostSamples));
    }
    return runs;
  }

  private static boolean isOf(SpeedSample sample, SpeedSample first) {
    return sample.workers() == first.workers() && sample.servers() == first.servers();
  }

  private static SpeedRun mean(List<SpeedSample> run, int mostSamples) {
    List<SpeedSample> newest = run.subList(Math.max(0, run.size() - mostSamples), run.size());
    double sum = 0;
    for (SpeedSample sample : newest) {
      sum += sample.recordsPerSecond();
    }
    SpeedSample first = run.getFirst();
    return new SpeedRun(
        first.workers(),
        first.servers(),
        newest.size(),
        sum / newest.size(),
        run.getLast().atMillis());
  }

  /// How much of a worker's speed one more worker brought, from the run before to the newest:
  /// `(Δspeed/Δworkers)/(earlier speed/earlier workers)`. 1 with no run before, where that had no
  /// speed or no workers, and where the number of workers did not change.
  public static double ratio(List<SpeedRun> runs) {
    if (runs.size() < 2) {
      return 1;
    }
    SpeedRun earlier = runs.get(runs.size() - 2);
    SpeedRun newest = runs.getLast();
    if (earlier.recordsPerSecond == 0
        || earlier.workers == 0
        || earlier.workers == newest.workers) {
      return 1;
    }
    double gained =
        (newest.recordsPerSecond - earlier.recordsPerSecond) / (newest.workers - earlier.workers);
    return gained / (earlier.recordsPerSecond / earlier.workers);
  }
}

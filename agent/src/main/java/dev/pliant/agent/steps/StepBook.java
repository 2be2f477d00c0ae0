package dev.pliant.agent.steps;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How far the training of one dataset is, as its rank 0 says, and how much of that the master has.
/// One commit stands for all steps up to its own, so only the newest is ever due, and one is under
/// way at a time. Decides; knows no clock, no thread and no network.
///
/// Words of an older world than the newest heard of are late and change nothing, nor do those of
/// the same world that go back.
final class StepBook {
  /// What the master takes of metrics with one commit.
  static final int MAX_METRICS = 32;

  /// A commit of everything up to a step.
  ///
  /// @param metrics the newest of each name that the master has not been told
  record Commit(long epoch, long step, long world, Map<String, Double> metrics) {
    Commit {
      metrics = Map.copyOf(metrics);
    }

    boolean isAfter(Commit other) {
      if (world != other.world) {
        return world > other.world;
      }
      return epoch != other.epoch ? epoch > other.epoch : step > other.step;
    }

    Commit with(Map<String, Double> others) {
      return new Commit(epoch, step, world, others);
    }
  }

  private @Nullable Commit newest;
  private final Map<String, Double> metrics = new LinkedHashMap<>();
  private @Nullable Commit underWay;
  private boolean due;
  private long said;
  private long sent;
  private long settled;

  /// A process has done everything up to a step.
  void said(Commit step) {
    said++;
    if (newest == null || step.isAfter(newest)) {
      newest = step;
      due = true;
      step.metrics().forEach(this::note);
    }
    settleIfIdle();
  }

  private void note(String name, Double value) {
    metrics.remove(name);
    metrics.put(name, value);
    if (metrics.size() > MAX_METRICS) {
      metrics.remove(metrics.keySet().iterator().next());
    }
  }

  /// What to say to the master now, if anything.
  Optional<Commit> next() {
    Commit step = newest;
    if (step == null || !due || underWay != null) {
      return Optional.empty();
    }
    underWay = step.with(new TreeMap<>(metrics));
    metrics.clear();
    due = false;
    sent = said;
    return Optional.of(underWay);
  }

  /// The master has what was under way, or will not have it, for nothing of it counts any more.
  ///
  /// @param oldWorld whether it is because a newer world commits; then nothing else of that world
  ///   counts either
  void answered(boolean oldWorld) {
    Commit answered = underWay;
    underWay = null;
    settled = Math.max(settled, sent);
    if (oldWorld && answered != null && newest != null && newest.world() <= answered.world()) {
      due = false;
      metrics.clear();
    }
    settleIfIdle();
  }

  /// What was under way may not have arrived.
  void failed() {
    Commit lost = underWay;
    underWay = null;
    if (lost != null) {
      due = true;
      lost.metrics().forEach(metrics::putIfAbsent);
    }
  }

  /// The ledgers were set to another state: what was said of the one before does not count.
  void forget() {
    newest = null;
    metrics.clear();
    due = false;
    settled = Math.max(settled, underWay == null ? said : settled);
    settleIfIdle();
  }

  private void settleIfIdle() {
    if (!due && underWay == null) {
      settled = said;
    }
  }

  /// How many words there were.
  long saidCount() {
    return said;
  }

  /// How many of them, from the first, the master has.
  long settledCount() {
    return settled;
  }
}

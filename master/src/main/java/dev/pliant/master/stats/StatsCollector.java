package dev.pliant.master.stats;

import dev.pliant.model.NodeId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Collects what nodes use, how their processes spend their time, and how fast the training is. A
/// bounded past of each is kept. Safe for use by many threads; the time is told to it.
public final class StatsCollector {
  /// How many samples of each node are kept.
  public static final int SAMPLES = 120;

  /// Over how long the speed is measured.
  public static final long SPEED_NANOS = 10_000_000_000L;

  private static final int MAX_NODES = 20_000;

  /// What a node used over a time.
  ///
  /// @param atMillis when it was told, since 1970
  /// @param cpu cores
  /// @param memoryMib MiB
  public record Sample(long atMillis, double cpu, double memoryMib) {
    public Sample {
      if (!(cpu >= 0 && memoryMib >= 0) || Double.isInfinite(cpu + memoryMib)) {
        throw new IllegalArgumentException("usage of %s, %s".formatted(cpu, memoryMib));
      }
    }
  }

  /// A node's newest sample, and how long its processes spent in each activity so far.
  public record NodeStats(Sample newest, Map<String, Long> activityMillis) {
    public NodeStats {
      activityMillis = Collections.unmodifiableMap(new TreeMap<>(activityMillis));
    }
  }

  /// How fast the training is.
  ///
  /// @param records records done in a second
  /// @param steps steps committed in a second
  public record Speed(double records, double steps) {
    public static final Speed NONE = new Speed(0, 0);
  }

  private record Progress(long nanos, long records, long steps) {}

  private static final class Past {
    final ArrayDeque<Sample> samples = new ArrayDeque<>();
    Map<String, Long> activityMillis = Map.of();
  }

  private final Map<NodeId, Past> nodes = new TreeMap<>();
  private final ArrayDeque<Progress> progress = new ArrayDeque<>();

  /// Takes what a node used.
  public synchronized void collectNodeUsage(
      NodeId node, Sample sample, Map<String, Long> activityMillis) {
    if (nodes.size() >= MAX_NODES && !nodes.containsKey(node)) {
      return;
    }
    Past past = nodes.computeIfAbsent(node, _ -> new Past());
    past.samples.addLast(sample);
    if (past.samples.size() > SAMPLES) {
      past.samples.removeFirst();
    }
    past.activityMillis = Map.copyOf(activityMillis);
  }

  /// Forgets all nodes but these.
  public synchronized void retain(Collection<NodeId> known) {
    nodes.keySet().retainAll(known);
  }

  public synchronized Optional<NodeStats> node(NodeId node) {
    Past past = nodes.get(node);
    return past == null
        ? Optional.empty()
        : Optional.of(new NodeStats(past.samples.getLast(), past.activityMillis));
  }

  /// What is known of every node: what the next master is to know too.
  public synchronized Map<NodeId, NodeStats> nodes() {
    Map<NodeId, NodeStats> known = new TreeMap<>();
    nodes.forEach((node, past) ->
        known.put(node, new NodeStats(past.samples.getLast(), past.activityMillis)));
    return known;
  }

  /// Takes what the master before knew; what was heard since counts for more.
  public synchronized void recall(Map<NodeId, NodeStats> before) {
    before.forEach((node, stats) -> {
      if (!nodes.containsKey(node)) {
        collectNodeUsage(node, stats.newest(), stats.activityMillis());
      }
    });
  }

  /// A node's samples, the oldest first.
  public synchronized List<Sample> history(NodeId node) {
    Past past = nodes.get(node);
    return past == null ? List.of() : List.copyOf(past.samples);
  }

  /// Takes how far the training is. Where it was set back, by a restored checkpoint, counting
  /// begins anew.
  public synchronized void collectProgress(long nanos, long records, long steps) {
    Progress last = progress.peekLast();
    if (last != null && (records < last.records || steps < last.steps)) {
      progress.clear();
    }
    progress.addLast(new Progress(nanos, records, steps));
    while (progress.size() > 2 && nanos - progress.getFirst().nanos > SPEED_NANOS) {
      progress.removeFirst();
    }
  }

  public synchronized Speed speed() {
    if (progress.size() < 2) {
      return Speed.NONE;
    }
    Progress from = progress.getFirst();
    Progress to = progress.getLast();
    double seconds = Math.max(1, to.nanos - from.nanos) / 1e9;
    return new Speed((to.records - from.records) / seconds, (to.steps - from.steps) / seconds);
  }
}

package dev.pliant.machine.rendezvous;

import java.util.ArrayList;
import java.util.List;

/// The process group of one world: it works while everybody of the world is in it, fails when one
/// goes, and hangs when one neither works nor goes.
final class SimulatedGroup {
  private final SimulatedJob job;
  private final long version;
  private final List<SimulatedNode> joined = new ArrayList<>();
  private int size;
  private boolean failing;
  private boolean ending;
  private boolean synced;
  private int checks;

  SimulatedGroup(SimulatedJob job, long version) {
    this.job = job;
    this.version = version;
  }

  void join(SimulatedNode node, int worldSize) {
    size = worldSize;
    joined.add(node);
    look();
  }

  boolean isWhole() {
    if (joined.size() != size) {
      return false;
    }
    for (SimulatedNode node : joined) {
      if (!node.trainsIn(version) || node.isStopped()) {
        return false;
      }
    }
    return true;
  }

  /// Somebody goes, stops, wakes or hears that the world is to end.
  void look() {
    checks++;
    boolean gone = false;
    boolean asked = false;
    for (SimulatedNode node : joined) {
      gone |= !node.trainsIn(version);
      asked |= node.trainsIn(version) && !node.isStopped() && node.heardReform();
    }
    if (gone) {
      fail();
    } else if (isWhole()) {
      if (!synced) {
        synced = true;
        job.after(job.between(1, 400), this::sync);
      }
      if (asked) {
        endAtABoundary();
      }
    } else {
      int check = checks;
      job.after(
          SimulatedJob.COLLECTIVE_TIMEOUT,
          () -> {
            if (check == checks && !isWhole()) {
              fail();
            }
          });
    }
  }

  private void sync() {
    if (isWhole()) {
      joined.forEach(SimulatedNode::takeState);
    } else {
      synced = false;
    }
  }

  private void fail() {
    if (failing) {
      return;
    }
    failing = true;
    for (SimulatedNode node : List.copyOf(joined)) {
      job.after(job.between(1, 300), () -> node.comeOut(version));
    }
    // Whoever joins a group that has failed finds nobody.
    job.after(301, () -> failing = false);
  }

  private void endAtABoundary() {
    if (ending) {
      return;
    }
    ending = true;
    job.after(
        job.between(20, 2_000),
        () -> {
          ending = false;
          if (isWhole()) {
            List.copyOf(joined)
                .forEach(node -> job.after(job.between(0, 20), () -> node.comeOut(version)));
          }
        });
  }
}

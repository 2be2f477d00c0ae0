package dev.pliant.agent.steps;

import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.rpc.MasterCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// The steps of all datasets of this node, one [StepRelay] each. They belong to the node and not to
/// a process: what was said outlives whoever said it.
public final class StepDesk {
  static final int MAX_DATASETS = 256;

  private final MasterCalls calls;
  private final LongSupplier nanoTime;
  private final Map<DatasetName, StepRelay> relays = new LinkedHashMap<>();
  private boolean closed;

  public StepDesk(MasterCalls calls, LongSupplier nanoTime) {
    this.calls = calls;
    this.nanoTime = nanoTime;
  }

  /// A process has done everything up to a step; the master will hear of it.
  public void said(
      DatasetName dataset, long epoch, long step, long world, Map<String, Double> metrics) {
    relay(dataset).said(new StepBook.Commit(epoch, step, world, metrics));
  }

  private synchronized StepRelay relay(DatasetName dataset) {
    StepRelay known = relays.get(dataset);
    if (known != null) {
      return known;
    }
    if (closed) {
      throw new PliantException(ErrorCode.STOPPING, "the agent is stopping.");
    }
    if (relays.size() >= MAX_DATASETS) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "steps of more than %d datasets are said on one node; no more are allowed."
              .formatted(MAX_DATASETS));
    }
    StepRelay relay = new StepRelay(dataset, calls, nanoTime);
    relay.start();
    relays.put(dataset, relay);
    return relay;
  }

  private synchronized List<StepRelay> all() {
    return new ArrayList<>(relays.values());
  }

  /// Waits until the master has every step of a dataset that was said to be done.
  ///
  /// @return whether that was so in time
  public boolean settle(DatasetName dataset, Duration within) throws InterruptedException {
    StepRelay relay;
    synchronized (this) {
      relay = relays.get(dataset);
    }
    return relay == null || relay.settle(within);
  }

  /// Waits until the master has every step of every dataset.
  ///
  /// @throws PliantException where it has not in time
  public void settleAll(Duration within) throws InterruptedException {
    long deadline = nanoTime.getAsLong() + within.toNanos();
    for (StepRelay relay : all()) {
      if (!relay.settle(Duration.ofNanos(Math.max(0, deadline - nanoTime.getAsLong())))) {
        throw new PliantException(
            ErrorCode.STOPPING,
            "the master was away for %s, and steps have not reached it.".formatted(within));
      }
    }
  }

  /// A checkpoint was restored: what was said before it does not count.
  public void forget() {
    all().forEach(StepRelay::forget);
  }

  /// Delivers what it can in time, and stops.
  ///
  /// @return whether all was delivered
  public boolean close(Duration within) throws InterruptedException {
    synchronized (this) {
      closed = true;
    }
    long deadline = nanoTime.getAsLong() + within.toNanos();
    boolean delivered = true;
    for (StepRelay relay : all()) {
      delivered &= relay.finish(deadline - nanoTime.getAsLong());
    }
    return delivered;
  }
}

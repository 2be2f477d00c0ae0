package dev.pliant.master.service;

import dev.pliant.machine.Command;
import dev.pliant.machine.Silence;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.model.WorkerId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Observes when workers were last heard from, and tells agents of workers that the machine has
/// given up. Every call of a worker, and every heartbeat of its agent, is a sign of life.
public final class Liveness {
  /// How many workers it follows at the most: a bound on what callers can make it hold.
  private static final int MAX_WORKERS = 100_000;

  private final LastHeard<WorkerId> workers;
  private final Set<WorkerId> lost = ConcurrentHashMap.newKeySet();

  /// @param known the workers that live according to the journal: their first message is awaited
  /// @param millis a clock that is never set
  public Liveness(Silence.Limits limits, List<WorkerId> known, LongSupplier millis) {
    this.workers = new LastHeard<>(limits, millis);
    known.stream().limit(MAX_WORKERS).forEach(workers::await);
  }

  /// How long a worker may be silent.
  long timeoutMillis() {
    return workers.limits().millis();
  }

  /// A worker called: it lives.
  void heardOf(WorkerId worker) {
    if (workers.size() < MAX_WORKERS || workers.follows(worker)) {
      workers.heardFrom(worker);
      lost.remove(worker);
    }
  }

  /// An agent sent a heartbeat for a worker; false where the worker was given up and must begin
  /// again.
  boolean beat(WorkerId worker) {
    if (lost.contains(worker)) {
      return false;
    }
    if (workers.follows(worker)) {
      workers.heardFrom(worker);
    }
    return true;
  }

  /// A worker ended: no more signs of life are due.
  void ended(WorkerId worker) {
    workers.forget(worker);
  }

  /// Has the machine decide about workers that are silent.
  public void check(JobOwner owner) {
    workers.check(
        owner,
        (worker, silence) -> new Command.CheckWorker(worker, silence, workers.limits()),
        worker -> {
          if (lost.size() < MAX_WORKERS) {
            lost.add(worker);
          }
        });
  }
}

package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Notices workers that fall silent and tells the machine. Every call of a worker, and every
/// heartbeat of its agent, is a sign of life.
public final class Liveness {
  /// How many workers it follows at the most: a bound on what callers can make it hold.
  private static final int MAX_WORKERS = 100_000;

  private final Duration timeout;
  private final LongSupplier nanoTime;
  private final Map<WorkerId, Long> heard = new ConcurrentHashMap<>();
  private final Set<WorkerId> lost = ConcurrentHashMap.newKeySet();

  /// @param firstWord how long the first word of those who are known may take
  /// @param known the workers that live as the journal has it; their time begins now
  public Liveness(
      Duration timeout, Duration firstWord, List<WorkerId> known, LongSupplier nanoTime) {
    this.timeout = timeout;
    this.nanoTime = nanoTime;
    long begin = nanoTime.getAsLong() + firstWord.minus(timeout).toNanos();
    known.stream().limit(MAX_WORKERS).forEach(worker -> heard.put(worker, begin));
  }

  public Duration timeout() {
    return timeout;
  }

  /// A worker called: it lives.
  void heardOf(WorkerId worker) {
    if (heard.size() < MAX_WORKERS || heard.containsKey(worker)) {
      heard.put(worker, nanoTime.getAsLong());
      lost.remove(worker);
    }
  }

  /// An agent speaks for a worker; false where the worker was given up and must begin again.
  boolean beat(WorkerId worker) {
    return heard.computeIfPresent(worker, (_, _) -> nanoTime.getAsLong()) != null
        || !lost.contains(worker);
  }

  /// A worker ended: no more signs of life are due.
  void ended(WorkerId worker) {
    heard.remove(worker);
  }

  /// Tells the machine of every worker that is silent for too long.
  public void check(JobOwner owner) {
    long now = nanoTime.getAsLong();
    heard.forEach((worker, last) -> {
      if (now - last > timeout.toNanos() && heard.remove(worker, last)) {
        if (lost.size() < MAX_WORKERS) {
          lost.add(worker);
        }
        giveUp(owner, worker);
      }
    });
  }

  private void giveUp(JobOwner owner, WorkerId worker) {
    String silent =
        "nothing was heard of worker %s for %d s".formatted(worker, timeout.toSeconds());
    owner.submit(
        new Request(
            List.of(new Command.EndWorker(worker, ExitReason.NO_HEARTBEAT, silent)),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {}

              @Override
              public void fail(PliantException why) {
                if (why.code() == ErrorCode.UNKNOWN_WORKER) {
                  // It never leased anything: there is nothing to take back.
                  lost.remove(worker);
                } else {
                  // Not now: follow it on, and tell again.
                  heard.putIfAbsent(worker, nanoTime.getAsLong());
                }
              }
            }));
  }
}

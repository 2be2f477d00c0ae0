package dev.pliant.machine.rendezvous;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;
import java.time.Duration;

/// By which a job's groups are formed.
///
/// @param min the fewest members of a world
/// @param max the most members of a world
/// @param unit a world's size is a multiple of it
/// @param wished how many members are to come; with all of them there nobody waits for more. 0
///   where that is not known
/// @param lastCall how long those that suffice wait for more
/// @param abortAfter how long after the first member came out of a world the others are told to
///   break off
/// @param leaveOutAfter how long after it they are waited for at all
/// @param belowMinFor how long survivors that are too few wait for others
public record RendezvousRules(
    int min,
    int max,
    int unit,
    int wished,
    Duration lastCall,
    Duration abortAfter,
    Duration leaveOutAfter,
    Duration belowMinFor) {

  /// The most members that a world may have.
  public static final int MAX_MEMBERS = 100_000;

  public static final Duration LAST_CALL = Duration.ofSeconds(1);
  public static final Duration ABORT_AFTER = Duration.ofSeconds(2);
  public static final Duration LEAVE_OUT_AFTER = Duration.ofSeconds(10);
  public static final Duration BELOW_MIN_FOR = Duration.ofSeconds(600);

  /// For a job of which nothing was said: whoever comes.
  public static final RendezvousRules DEFAULT = of(1, MAX_MEMBERS);

  public RendezvousRules {
    if (min < 1 || min > max || max > MAX_MEMBERS) {
      throw bad(
          "from %,d to %,d members cannot be; at least 1, at most %,d, and not fewer at most than at least"
              .formatted(min, max, MAX_MEMBERS));
    }
    if (unit < 1 || roundedUp(min, unit) > max) {
      throw bad(
          "a multiple of %,d from %,d to %,d members cannot be; take another unit"
              .formatted(unit, min, max));
    }
    if (wished < 0) {
      throw bad("%,d members are wished; that is fewer than none".formatted(wished));
    }
    if (lastCall.isNegative() || abortAfter.isNegative() || belowMinFor.isNegative()) {
      throw bad("a time to wait is negative");
    }
    if (leaveOutAfter.compareTo(abortAfter) < 0) {
      throw bad(
          "members would be left out after %s, before they are told to break off after %s"
              .formatted(leaveOutAfter, abortAfter));
    }
  }

  /// One by one, with the times that hold where nobody says.
  public static RendezvousRules of(int min, int max) {
    return new RendezvousRules(
        min, max, 1, 0, LAST_CALL, ABORT_AFTER, LEAVE_OUT_AFTER, BELOW_MIN_FOR);
  }

  /// As a job's plan says: whole nodes, each with all of its processes.
  public static RendezvousRules of(JobPlan plan) {
    int processes = plan.nprocPerNode();
    return of(plan.workers().min() * processes, plan.maxMembers())
        .withUnit(processes)
        .withWished(plan.workers().wish() * processes)
        .withLastCall(Duration.ofMillis(plan.lastCallMillis()));
  }

  public RendezvousRules withUnit(int newUnit) {
    return new RendezvousRules(
        min, max, newUnit, wished, lastCall, abortAfter, leaveOutAfter, belowMinFor);
  }

  public RendezvousRules withWished(int newWished) {
    return new RendezvousRules(
        min, max, unit, newWished, lastCall, abortAfter, leaveOutAfter, belowMinFor);
  }

  public RendezvousRules withLastCall(Duration newLastCall) {
    return new RendezvousRules(
        min, max, unit, wished, newLastCall, abortAfter, leaveOutAfter, belowMinFor);
  }

  public RendezvousRules withPatience(Duration abort, Duration leaveOut, Duration belowMin) {
    return new RendezvousRules(min, max, unit, wished, lastCall, abort, leaveOut, belowMin);
  }

  /// The smallest world: the fewest members, in whole units.
  public int smallest() {
    return roundedUp(min, unit);
  }

  /// The largest world: the most members, in whole units.
  public int largest() {
    return max / unit * unit;
  }

  /// How many of that many candidates make a world; 0 where they are too few for one.
  public int sizeOf(int candidates) {
    int size = Math.min(max, candidates) / unit * unit;
    return size < smallest() ? 0 : size;
  }

  private static int roundedUp(int count, int unit) {
    return Math.ceilDiv(count, unit) * unit;
  }

  private static PliantException bad(String what) {
    return new PliantException(ErrorCode.BAD_JOB_PLAN, what + ".");
  }
}

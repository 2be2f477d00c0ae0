package dev.pliant.machine.shards;

import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.machine.shards.ShardReport.Outcome;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Decides over a [ShardLedger]: what to lease, what a report comes to, what a lost or late worker
/// leaves behind. Reads the ledger, changes nothing.
public final class DataShardManager {
  /// Shards of one dataset that may be out at once.
  static final long MAX_OUT = 4_000_000;

  /// Records that one answer may list by number.
  static final long MAX_LISTED = 262_144;

  /// A shard may always be out this long before it counts as late.
  public static final long LATE_AFTER_MILLIS = 300_000;

  /// A shard is late when it is out this many times longer than the slowest that was done.
  static final int LATE_FACTOR = 3;

  private static final int MAX_DOUBLINGS = 16;

  private DataShardManager() {}

  // Leasing.

  /// What there is to lease.
  public enum LeaseState {
    LEASED,
    WAIT,
    END,
    FAILED
  }

  /// Shards to hand out: those that came back, then fresh ones from `freshFrom` on.
  ///
  /// @param ranges where each fresh one lies, for a stream
  @SuppressWarnings("ArrayRecordComponent") // Written once, here.
  public record Grant(
      LeaseState state, long[] again, long freshFrom, int fresh, List<StreamRange> ranges) {}

  private static final long[] NONE = {};

  /// Chooses up to `want` shards: what came back goes first.
  public static Grant lease(ShardLedger ledger, int want) {
    if (ledger.failure() != null) {
      return nothing(LeaseState.FAILED, ledger);
    }
    int room = (int) Math.min(Math.min(want, listable(ledger.spec())), MAX_OUT - ledger.outCount());
    long[] again = ledger.firstRequeued(room);
    int rest = room - again.length;
    List<StreamRange> ranges = ledger.isStream() && rest > 0 ? ledger.cut(rest) : List.of();
    int fresh = ledger.isStream() ? ranges.size() : (int) Math.min(rest, ledger.freshLimit());
    if (again.length + fresh > 0) {
      return new Grant(LeaseState.LEASED, again, ledger.cursor(), fresh, ranges);
    }
    return nothing(ledger.isComplete() ? LeaseState.END : LeaseState.WAIT, ledger);
  }

  /// What there would be to lease, for people.
  public static LeaseState state(ShardLedger ledger) {
    return lease(ledger, 1).state();
  }

  private static Grant nothing(LeaseState state, ShardLedger ledger) {
    return new Grant(state, NONE, ledger.cursor(), 0, List.of());
  }

  private static long listable(DatasetSpec spec) {
    return spec.source() instanceof Source.Text
        ? Math.max(1, MAX_LISTED / spec.partSize())
        : Integer.MAX_VALUE;
  }

  // Reports.

  /// What a message of reports comes to.
  ///
  /// @param outcomes one for each report; null where every one is taken as done
  /// @param refusals a sentence for each report that is refused, in order
  @SuppressWarnings("ArrayRecordComponent") // Written once, here.
  public record Judgement(
      long[] done,
      List<Requeue> requeues,
      Outcome @Nullable [] outcomes,
      List<String> refusals,
      @Nullable Failure failure) {}

  /// Shards that go back to the front for one cause.
  @SuppressWarnings("ArrayRecordComponent") // Written once, here.
  public record Requeue(int worker, long[] numbers, boolean charged, String cause) {}

  /// Judges what a worker reports. Throws, with nothing taken, where a report names a shard or
  /// lease that never was.
  ///
  /// @param worker the worker's number, or −1 for one that is not known
  public static Judgement judge(
      ShardLedger ledger, int worker, String workerName, List<ShardReport> reports) {
    long[] done = new long[reports.size()];
    int doneCount = 0;
    Outcome[] outcomes = null;
    List<Requeue> requeues = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    Failure failure = null;
    Set<Long> seen = isAscending(reports) ? Set.of() : new HashSet<>();
    for (int i = 0; i < reports.size(); i++) {
      ShardReport report = reports.get(i);
      checkKnown(ledger, report);
      Outcome outcome =
          seen instanceof HashSet<Long> && !seen.add(report.number())
              ? Outcome.REPEATED
              : judge(ledger, worker, report);
      switch (outcome) {
        case DONE -> done[doneCount++] = report.number();
        case REQUEUED, DATASET_FAILED -> {
          boolean charged = report.fate() == Fate.FAILED;
          requeues.add(new Requeue(worker, new long[] {report.number()}, charged, report.cause()));
          if (outcome == Outcome.DATASET_FAILED && failure == null) {
            failure = new Failure(report.number(), workerName, report.cause());
          }
        }
        case REFUSED -> refusals.add(refusal(ledger, report));
        case REPEATED -> {}
      }
      if (outcome != Outcome.DONE && outcomes == null) {
        outcomes = new Outcome[reports.size()];
        Arrays.fill(outcomes, 0, i, Outcome.DONE);
      }
      if (outcomes != null) {
        outcomes[i] = outcome;
      }
    }
    return new Judgement(
        doneCount == done.length ? done : Arrays.copyOf(done, doneCount),
        requeues,
        outcomes,
        refusals,
        failure);
  }

  private static Outcome judge(ShardLedger ledger, int worker, ShardReport report) {
    long number = report.number();
    if (report.lease() != ledger.lease(number)) {
      return Outcome.REFUSED;
    }
    int holder = ledger.holder(number);
    if (holder < 0) {
      boolean said = ledger.isDone(number) == (report.fate() == Fate.DONE);
      return said ? Outcome.REPEATED : Outcome.REFUSED;
    }
    if (holder != worker) {
      return Outcome.REFUSED;
    }
    return switch (report.fate()) {
      case DONE -> Outcome.DONE;
      case RETURNED -> Outcome.REQUEUED;
      case FAILED -> runsOut(ledger, number) ? Outcome.DATASET_FAILED : Outcome.REQUEUED;
    };
  }

  private static void checkKnown(ShardLedger ledger, ShardReport report) {
    DatasetSpec spec = ledger.spec();
    long number = report.number();
    if (number < 0 || number >= spec.parts()) {
      throw new PliantException(
          ErrorCode.OUT_OF_RANGE,
          "dataset '%s' has shards 0 to %,d; shard %s is reported."
              .formatted(spec.name(), spec.parts() - 1, Long.toUnsignedString(number)));
    }
    long given = ledger.lease(number);
    long lineage = report.lease() >>> Integer.SIZE;
    boolean newer = report.lease() < 0 || report.lease() > given || (int) report.lease() < 1;
    if (number >= ledger.cursor() ? lineage >= ledger.lineage() : newer) {
      throw new PliantException(
          ErrorCode.UNKNOWN_LEASE,
          "shard %,d of dataset '%s' was never leased as lease %s; report the lease that came with the shard."
              .formatted(number, spec.name(), Long.toUnsignedString(report.lease())));
    }
  }

  private static String refusal(ShardLedger ledger, ShardReport report) {
    long number = report.number();
    String why;
    if (report.lease() >>> Integer.SIZE != ledger.lineage()) {
      why = "a checkpoint was restored since it was leased";
    } else if (ledger.isDone(number)) {
      why = "it was leased to another worker since, which has done it";
    } else if (ledger.holder(number) >= 0) {
      why = "another worker has it now";
    } else {
      why = "it went back to the queue, because the worker was late or thought lost";
    }
    return "shard %,d of dataset '%s' is no longer held under lease %d: %s."
        .formatted(number, ledger.spec().name(), report.lease(), why);
  }

  private static boolean isAscending(List<ShardReport> reports) {
    for (int i = 1; i < reports.size(); i++) {
      if (reports.get(i).number() <= reports.get(i - 1).number()) {
        return false;
      }
    }
    return true;
  }

  private static boolean runsOut(ShardLedger ledger, long number) {
    return ledger.spec().consumption() instanceof Consumption.Shards(long _, int retries)
        && ledger.failures(number) >= retries;
  }

  // Recovery.

  /// What a worker that is gone leaves behind.
  public record Recovery(List<Requeue> requeues, @Nullable Failure failure) {
    public int shards() {
      return requeues.stream().mapToInt(r -> r.numbers().length).sum();
    }
  }

  /// Takes back everything a worker has.
  public static Recovery recover(
      ShardLedger ledger, int worker, String workerName, boolean charged, String cause) {
    return takeBack(ledger, held(ledger, worker), worker, workerName, charged, cause);
  }

  /// Takes back what a worker has on record but never received: all but `inHand`.
  public static Recovery recoverUndelivered(
      ShardLedger ledger, int worker, String workerName, Set<Long> inHand) {
    long[] lost =
        Arrays.stream(held(ledger, worker)).filter(number -> !inHand.contains(number)).toArray();
    return takeBack(ledger, lost, worker, workerName, false, "the answer never arrived");
  }

  /// Shards that are out for too long, by worker number. The time that no master was there does not
  /// count, and each time a shard is handed out again it may be out twice as long: so that one
  /// which simply takes long is done in the end, and the limit learns from it.
  ///
  /// @param sinceMillis when this master began to serve
  public static TreeMap<Integer, long[]> late(
      ShardLedger ledger, long sinceMillis, long nowMillis) {
    long limit = lateAfterMillis(ledger);
    TreeMap<Integer, List<Long>> byWorker = new TreeMap<>();
    ledger.forEachOut((number, worker, since) -> {
      if (nowMillis - Math.max(since, sinceMillis) > limit << doublings(ledger, number)) {
        byWorker.computeIfAbsent(worker, _ -> new ArrayList<>()).add(number);
      }
    });
    TreeMap<Integer, long[]> late = new TreeMap<>();
    byWorker.forEach((w, numbers) -> late.put(w, numbers.stream().mapToLong(n -> n).toArray()));
    return late;
  }

  private static int doublings(ShardLedger ledger, long number) {
    return Math.min(ledger.attempt(number) - 1, MAX_DOUBLINGS);
  }

  /// When the first of the shards that are out is late; [Long#MAX_VALUE] where none is out.
  ///
  /// @param sinceMillis when this master began to serve
  public static long nextLateMillis(ShardLedger ledger, long sinceMillis) {
    long limit = lateAfterMillis(ledger);
    long[] next = {Long.MAX_VALUE};
    ledger.forEachOut((number, _, since) -> {
      long late = Math.max(since, sinceMillis) + (limit << doublings(ledger, number)) + 1;
      next[0] = Math.min(next[0], late);
    });
    return next[0];
  }

  public static long lateAfterMillis(ShardLedger ledger) {
    return Math.max(LATE_AFTER_MILLIS, LATE_FACTOR * ledger.slowestMillis());
  }

  /// Takes back certain shards of a worker.
  public static Recovery takeBack(
      ShardLedger ledger,
      long[] numbers,
      int worker,
      String workerName,
      boolean charged,
      String cause) {
    if (numbers.length == 0) {
      return new Recovery(List.of(), null);
    }
    Failure failure = null;
    for (long number : numbers) {
      if (charged && failure == null && ledger.failure() == null && runsOut(ledger, number)) {
        failure = new Failure(number, workerName, cause);
      }
    }
    return new Recovery(List.of(new Requeue(worker, numbers, charged, cause)), failure);
  }

  private static long[] held(ShardLedger ledger, int worker) {
    List<Long> held = new ArrayList<>();
    ledger.forEachOut((number, holder, _) -> {
      if (holder == worker) {
        held.add(number);
      }
    });
    return held.stream().mapToLong(Long::longValue).toArray();
  }

  // Growth.

  /// Refuses growth that a stream cannot have.
  public static void checkGrowth(ShardLedger ledger, List<Partition> partitions) {
    if (!ledger.isStream()) {
      throw new PliantException(
          ErrorCode.BAD_PARTITION,
          "dataset '%s' has a fixed size and no partitions; only a stream grows."
              .formatted(ledger.spec().name()));
    }
    DatasetSpec.checkPartitions(partitions);
    ledger.checkGrowth(partitions);
  }
}

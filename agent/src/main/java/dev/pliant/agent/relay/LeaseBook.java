package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Answer.Refusal;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkOpen;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The leases of one worker on one dataset, and what to say to the master about them. No thread, no
/// clock, no network: the owner tells it what happens and carries out what it decides.
///
/// A lease is in exactly one place, and goes on in this order:
///
/// | place | meaning | leaves by |
/// |---|---|---|
/// | ahead | leased, not handed to the process | [#hand], [#finish], a revocation |
/// | in hand | with the process | [#report], [#drop] |
/// | unsent | reported, to be sent | [#message] |
/// | under way | sent, not answered | [#answered]; [#lost] brings it back to unsent |
///
/// So no lease is handed out twice, and a report is repeated until an answer to it has come.
final class LeaseBook {
  /// What the master allows in one message or at one time.
  static final int MAX_HELD = 4_096;

  static final int MAX_REPORTS = 4_096;
  static final int MAX_WANT = 1_024;
  static final int MAX_UNDER_WAY = 8;
  static final int MAX_REPORT_BYTES = 1 << 20;

  /// Where the master says WAIT and not how long.
  static final long DEFAULT_WAIT_MILLIS = 200;

  static final long LONGEST_WAIT_MILLIS = 5_000;

  /// Who reports what no process has seen.
  private static final long NOBODY = 0;

  /// A lease: a shard that is handed out again has another.
  private record Key(long number, long lease) {
    static Key of(Shard shard) {
      return new Key(shard.getNumber(), shard.getLease());
    }

    static Key of(HeldLease held) {
      return new Key(held.getNumber(), held.getLease());
    }

    static Key of(ShardReport report) {
      return new Key(report.getNumber(), report.getLease());
    }
  }

  private record Reported(ShardReport report, long connection) {}

  private record Sent(boolean opening, List<Reported> reports, int wanted) {}

  private final String dataset;
  private final LeasePace pace;
  private final Deque<Shard> ahead = new ArrayDeque<>();
  private final Map<Key, Long> inHand = new LinkedHashMap<>();
  private final Deque<Reported> unsent = new ArrayDeque<>();
  private final Deque<Sent> underWay = new ArrayDeque<>();
  private final Set<Key> reported = new HashSet<>();
  private final RecentSet<Key> settledLately = new RecentSet<>(1_024);
  private final Map<Long, List<Refusal>> refusals = new LinkedHashMap<>();

  private int wantedUnderWay;
  private long reportCount;
  private long settledCount;

  /// Whether the master's last word was that there is something to lease.
  private boolean flowing = true;

  private long askAgainAt = Long.MIN_VALUE;

  /// Whether what is ahead may have been given to others: the stream is being opened again.
  private boolean inDoubt;

  /// Whether a report was refused since the stream was opened: the master has taken shards back,
  /// and may have taken back what is ahead.
  private boolean suspect;

  private boolean finishing;

  LeaseBook(String dataset, int leaseAhead) {
    this.dataset = dataset;
    this.pace = new LeasePace(leaseAhead);
  }

  // What the process does.

  /// The process asks for a shard.
  void asked(long now) {
    pace.asked(now);
  }

  /// Hands out the next shard, if one is ahead and surely still this worker's.
  Optional<Shard> hand(long connection, long now) {
    if (inDoubt || suspect || finishing || ahead.isEmpty()) {
      return Optional.empty();
    }
    Shard shard = ahead.removeFirst();
    inHand.put(Key.of(shard), connection);
    pace.handed(now);
    return Optional.of(shard);
  }

  /// Takes reports of shards in hand. Repeating one changes nothing.
  ///
  /// @throws PliantException where one names a lease that is not in hand; none is taken then
  void report(long connection, List<ShardReport> reports) {
    for (ShardReport report : reports) {
      Key key = Key.of(report);
      if (!inHand.containsKey(key) && !reported.contains(key) && !settledLately.contains(key)) {
        throw new PliantException(
            ErrorCode.UNKNOWN_LEASE,
            "shard %,d of dataset '%s' is not in this worker's hands under lease %d; report the number and lease that came with the shard, once."
                .formatted(report.getNumber(), dataset, report.getLease()));
      }
    }
    for (ShardReport report : reports) {
      if (inHand.remove(Key.of(report)) != null) {
        enqueue(report, connection);
      }
    }
  }

  /// A connection is gone: what it had in hand and did not report goes back.
  void drop(long connection, String cause) {
    Iterator<Map.Entry<Key, Long>> entries = inHand.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<Key, Long> entry = entries.next();
      if (entry.getValue() == connection) {
        entries.remove();
        giveBack(entry.getKey(), cause);
      }
    }
    refusals.remove(connection);
  }

  /// The worker ends: what the process never saw goes back, and nothing more is asked for. What is
  /// in its hands is left to the word that the worker has ended.
  void finish() {
    finishing = true;
    while (!ahead.isEmpty()) {
      giveBack(Key.of(ahead.removeFirst()), "the worker ended before it began the shard");
    }
  }

  /// Forgets what is ahead: a checkpoint was restored, and no lease from before it counts.
  void forgetAhead() {
    ahead.clear();
    flowing = true;
  }

  private void giveBack(Key key, String cause) {
    enqueue(
        ShardReport.newBuilder()
            .setNumber(key.number())
            .setLease(key.lease())
            .setFate(ShardFate.SHARD_FATE_RETURNED)
            .setCause(cause)
            .build(),
        NOBODY);
  }

  private void enqueue(ShardReport report, long connection) {
    reported.add(Key.of(report));
    unsent.addLast(new Reported(report, connection));
    reportCount++;
  }

  // What to say to the master.

  /// The first message of a stream: every lease that this worker has.
  WorkRequest open(String worker, int waiting, long now) {
    WorkOpen.Builder open = WorkOpen.newBuilder().setWorker(worker).setDataset(dataset);
    unsent.forEach(r -> open.addHeld(held(Key.of(r.report()))));
    inHand.keySet().forEach(key -> open.addHeld(held(key)));
    ahead.forEach(shard -> open.addHeld(held(Key.of(shard))));
    inDoubt = !ahead.isEmpty();
    int want = want(waiting, now);
    underWay.addLast(new Sent(true, List.of(), want));
    wantedUnderWay += want;
    return WorkRequest.newBuilder().setOpen(open).setWant(want).build();
  }

  private static HeldLease held(Key key) {
    return HeldLease.newBuilder().setNumber(key.number()).setLease(key.lease()).build();
  }

  /// The next message on an open stream, if there is anything to say and room to say it.
  ///
  /// @param waiting how many requests for a shard are waiting
  Optional<WorkRequest> message(int waiting, long now) {
    if (underWay.size() >= MAX_UNDER_WAY) {
      return Optional.empty();
    }
    int want = want(waiting, now);
    if (want == 0 && unsent.isEmpty()) {
      return Optional.empty();
    }
    List<Reported> batch = new ArrayList<>(Math.min(unsent.size(), MAX_REPORTS));
    WorkRequest.Builder message = WorkRequest.newBuilder().setWant(want);
    int bytes = 0;
    while (!unsent.isEmpty() && batch.size() < MAX_REPORTS && bytes < MAX_REPORT_BYTES) {
      Reported next = unsent.removeFirst();
      bytes += next.report().getSerializedSize();
      batch.add(next);
      message.addReports(next.report());
    }
    underWay.addLast(new Sent(false, batch, want));
    wantedUnderWay += want;
    return Optional.of(message.build());
  }

  /// How many shards to ask for now: none while enough are ahead or on their way. Where the master
  /// had nothing, it is asked again only for a process that waits, and not before its time.
  private int want(int waiting, long now) {
    if (finishing) {
      return 0;
    }
    int target = Math.max(pace.target(), waiting > 0 ? 1 : 0);
    int coming = ahead.size() + wantedUnderWay;
    boolean ask =
        flowing
            ? pace.begun() && 2 * coming < target
            : waiting > 0 && coming == 0 && now - askAgainAt >= 0;
    if (!ask) {
      return 0;
    }
    int room = MAX_HELD - held() - wantedUnderWay;
    return Math.clamp(Math.min(target - coming, room), 0, MAX_WANT);
  }

  /// When [#message] may have something to say again of itself; nothing where only an event helps.
  Optional<Long> askAgainAt(int waiting) {
    return !flowing && waiting > 0 && ahead.isEmpty() && wantedUnderWay == 0 && !finishing
        ? Optional.of(askAgainAt)
        : Optional.empty();
  }

  // What the master says.

  /// Takes the answer to the oldest message under way.
  ///
  /// @throws IllegalArgumentException where it cannot be an answer to that; nothing is changed then
  void answered(WorkResponse answer, long now) {
    check(answer);
    Sent sent = underWay.removeFirst();
    wantedUnderWay -= sent.wanted();
    if (sent.opening()) {
      inDoubt = false;
      suspect = false;
    }
    if (answer.getRevokedCount() > 0) {
      Set<Key> revoked = new HashSet<>();
      answer.getRevokedList().forEach(lease -> revoked.add(Key.of(lease)));
      ahead.removeIf(shard -> revoked.contains(Key.of(shard)));
    }
    settle(sent.reports(), answer);
    answer.getShardsList().forEach(this::leased);
    if (sent.wanted() > 0) {
      flowing = answer.getShardsCount() > 0;
      long wait = answer.getRetryAfterMs() == 0 ? DEFAULT_WAIT_MILLIS : answer.getRetryAfterMs();
      boolean over =
          answer.getState() == LeaseState.LEASE_STATE_END
              || answer.getState() == LeaseState.LEASE_STATE_FAILED;
      askAgainAt = over ? now : now + 1_000_000 * Math.clamp(wait, 1, LONGEST_WAIT_MILLIS);
    }
  }

  private void check(WorkResponse answer) {
    Sent sent = underWay.peekFirst();
    if (sent == null) {
      throw new IllegalArgumentException("an answer to nothing");
    }
    int outcomes = answer.getOutcomesCount();
    if (outcomes != 0 && outcomes != sent.reports().size()) {
      throw new IllegalArgumentException(
          "%d outcomes for %d reports".formatted(outcomes, sent.reports().size()));
    }
    if (answer.getShardsCount() > sent.wanted()) {
      throw new IllegalArgumentException(
          "%d shards where %d were wanted".formatted(answer.getShardsCount(), sent.wanted()));
    }
  }

  private void leased(Shard shard) {
    Key key = Key.of(shard);
    if (inHand.containsKey(key) || reported.contains(key)) {
      return;
    }
    // The same shard under an older lease is this worker's no more.
    ahead.removeIf(other -> other.getNumber() == shard.getNumber());
    if (finishing) {
      giveBack(key, "the worker ended before it began the shard");
    } else {
      ahead.addLast(shard);
    }
  }

  private void settle(List<Reported> reports, WorkResponse answer) {
    Iterator<String> sentences = answer.getRefusalsList().iterator();
    for (int i = 0; i < reports.size(); i++) {
      Reported report = reports.get(i);
      Key key = Key.of(report.report());
      reported.remove(key);
      settledLately.add(key);
      settledCount++;
      if (answer.getOutcomesCount() > 0
          && answer.getOutcomes(i) == ReportOutcome.REPORT_OUTCOME_REFUSED) {
        suspect |= !ahead.isEmpty();
        String why =
            sentences.hasNext() ? sentences.next() : "the shard is no longer this worker's.";
        if (report.connection() != NOBODY) {
          refusals
              .computeIfAbsent(report.connection(), _ -> new ArrayList<>())
              .add(new Refusal(key.number(), why));
        }
      }
    }
  }

  /// The stream broke: what was under way on it may or may not have arrived, so all of it is said
  /// again.
  void lost() {
    while (!underWay.isEmpty()) {
      List<Reported> reports = underWay.removeLast().reports();
      for (int i = reports.size() - 1; i >= 0; i--) {
        unsent.addFirst(reports.get(i));
      }
    }
    wantedUnderWay = 0;
    inDoubt = false;
  }

  // What is known.

  /// Refused reports of a connection that it was not told of yet.
  List<Refusal> takeRefusals(long connection) {
    List<Refusal> taken = refusals.remove(connection);
    return taken == null ? List.of() : List.copyOf(taken);
  }

  /// Reports taken from processes so far.
  long reportCount() {
    return reportCount;
  }

  /// Reports answered by the master so far: the first ones, for they are sent and answered in
  /// order.
  long settledCount() {
    return settledCount;
  }

  /// Whether the stream should be opened again, to hear which leases are still this worker's.
  boolean suspect() {
    return suspect;
  }

  /// Whether nothing is left to say and nothing to hear.
  boolean idle() {
    return unsent.isEmpty() && underWay.isEmpty();
  }

  /// Whether the master has answered every report.
  boolean settled() {
    return reportCount == settledCount;
  }

  int underWay() {
    return underWay.size();
  }

  int ahead() {
    return ahead.size();
  }

  int inHand() {
    return inHand.size();
  }

  /// Whether the process has so much in hand that no more may be leased to it.
  boolean full() {
    return inHand.size() >= MAX_HELD;
  }

  /// Leases in all places.
  int held() {
    return ahead.size() + inHand.size() + reported.size();
  }
}

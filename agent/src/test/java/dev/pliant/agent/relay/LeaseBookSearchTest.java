package dev.pliant.agent.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random histories of one worker's book against a small master: streams break with messages and
/// answers on their way, the master gives shards to others, connections come and go. Whatever
/// happens: no lease is handed out twice, no more than allowed lie ahead, and every shard the
/// process has done under a lease that held is done at the master, once.
class LeaseBookSearchTest {
  private static final int SHARDS = 60;

  @ParameterizedTest(name = "seeds from {0}")
  @ValueSource(longs = {0, 10_000, 20_000})
  void keepsItsPromisesWhateverHappens(long from) {
    for (long seed = from; seed < from + 400; seed++) {
      run(seed);
    }
  }

  @Test
  void keepsItsPromisesForANewSeedEachTime() {
    long seed = new SplittableRandom().nextLong();
    System.out.println("LeaseBookSearchTest: seed " + seed);
    for (int i = 0; i < 200; i++) {
      run(seed + i);
    }
  }

  private static void run(long seed) {
    try {
      new History(seed).run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private static final class History {
    private final RandomGenerator chance;
    private final int leaseAhead;
    private final LeaseBook book;
    private final Deque<WorkRequest> toMaster = new ArrayDeque<>();
    private final Deque<WorkResponse> fromMaster = new ArrayDeque<>();
    private final List<Shard> training = new ArrayList<>();
    private final Map<Shard, Long> holder = new HashMap<>();
    private final Set<List<Long>> handed = new HashSet<>();
    private boolean open;
    private boolean waiting;
    private boolean ended;
    private long now;
    private long connection = 1;

    // The master's side.
    private final TreeSet<Long> todo = new TreeSet<>();
    private final Map<Long, Long> leases = new TreeMap<>();
    private final Map<Long, Boolean> ours = new TreeMap<>();
    private final Map<Long, Integer> done = new TreeMap<>();

    History(long seed) {
      chance = new SplittableRandom(seed);
      leaseAhead = chance.nextInt(0, 10);
      book = new LeaseBook("train", leaseAhead);
      for (long number = 0; number < SHARDS; number++) {
        todo.add(number);
      }
    }

    void run() {
      int trouble = chance.nextInt(1, 30);
      for (int step = 0; step < 5_000 && !ended; step++) {
        now += chance.nextLong(5_000_000);
        if (chance.nextInt(100) < trouble) {
          misfortune();
        } else {
          progress();
        }
        check();
      }
      assertThat(ended).as("the dataset ends").isTrue();
      assertThat(done).hasSize(SHARDS);
      assertThat(done.values()).allMatch(times -> times == 1);
      settle();
    }

    private void progress() {
      switch (chance.nextInt(6)) {
        case 0 -> ask();
        case 1 -> report();
        case 2 -> openOrSay();
        case 3 -> masterReads();
        case 4 -> hear();
        default -> handOut();
      }
    }

    private void misfortune() {
      switch (chance.nextInt(4)) {
        case 0 -> breakStream();
        case 1 -> takeAway();
        case 2 -> leave();
        default -> othersWork();
      }
    }

    private void ask() {
      if (!waiting) {
        book.asked(now);
        waiting = true;
      }
    }

    private void handOut() {
      if (waiting) {
        book.hand(connection, now)
            .ifPresent(shard -> {
              waiting = false;
              assertThat(handed.add(List.of(shard.getNumber(), shard.getLease())))
                  .as("shard %s is handed out once", shard.getNumber())
                  .isTrue();
              training.add(shard);
              holder.put(shard, connection);
            });
      }
    }

    private void report() {
      if (training.isEmpty()) {
        return;
      }
      Shard shard = training.remove(chance.nextInt(training.size()));
      ShardReport.Builder report =
          ShardReport.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease());
      if (chance.nextInt(10) == 0) {
        report.setFate(ShardFate.SHARD_FATE_RETURNED);
      }
      book.report(connection, List.of(report.build()));
    }

    /// The process goes on under another connection; what the old one had goes back.
    private void leave() {
      long old = connection++;
      book.drop(old, "gone");
      training.removeIf(shard -> Long.valueOf(old).equals(holder.get(shard)));
      waiting = false;
    }

    private void openOrSay() {
      if (!open) {
        open = true;
        toMaster.add(book.open("w", waiting ? 1 : 0, now));
        return;
      }
      book.message(waiting ? 1 : 0, now).ifPresent(toMaster::add);
    }

    private void breakStream() {
      for (int read = chance.nextInt(toMaster.size() + 1); read > 0; read--) {
        masterReads();
      }
      for (int heard = chance.nextInt(fromMaster.size() + 1); heard > 0; heard--) {
        hear();
      }
      toMaster.clear();
      fromMaster.clear();
      open = false;
      book.lost();
    }

    private void hear() {
      WorkResponse answer = fromMaster.poll();
      if (answer != null) {
        book.answered(answer, now);
        if (book.suspect()) {
          breakStream();
        }
        if (answer.getState() == LeaseState.LEASE_STATE_END) {
          ended = true;
        }
      }
    }

    /// Once all is done, what is left to say is said and answered.
    private void settle() {
      breakStream();
      for (int i = 0; i < 100 && !(book.settled() && book.idle()); i++) {
        openOrSay();
        masterReads();
        hear();
      }
      assertThat(book.settled()).isTrue();
      assertThat(done.values()).allMatch(times -> times == 1);
    }

    private void check() {
      assertThat(book.ahead()).isLessThanOrEqualTo(Math.max(1, leaseAhead));
      assertThat(book.underWay()).isLessThanOrEqualTo(LeaseBook.MAX_UNDER_WAY);
    }

    // The master.

    private void masterReads() {
      WorkRequest request = toMaster.poll();
      if (request == null) {
        return;
      }
      WorkResponse.Builder answer = WorkResponse.newBuilder();
      if (request.hasOpen()) {
        Set<Long> held = new HashSet<>();
        for (HeldLease lease : request.getOpen().getHeldList()) {
          if (holds(lease.getNumber(), lease.getLease())) {
            held.add(lease.getNumber());
          } else {
            answer.addRevoked(lease);
          }
        }
        List.copyOf(ours.keySet()).stream().filter(n -> !held.contains(n)).forEach(this::requeue);
      }
      for (ShardReport report : request.getReportsList()) {
        ReportOutcome outcome = judge(report);
        answer.addOutcomes(outcome);
        if (outcome == ReportOutcome.REPORT_OUTCOME_REFUSED) {
          answer.addRefusals("no");
        }
      }
      for (int i = 0; i < request.getWant() && !todo.isEmpty(); i++) {
        long number = todo.pollFirst();
        ours.put(number, true);
        answer.addShards(LeaseBookTest.shard(number, leases.merge(number, 1L, Long::sum)));
      }
      if (request.getWant() > 0) {
        answer.setRetryAfterMs(1);
        answer.setState(
            answer.getShardsCount() > 0
                ? LeaseState.LEASE_STATE_LEASED
                : done.size() == SHARDS ? LeaseState.LEASE_STATE_END : LeaseState.LEASE_STATE_WAIT);
      }
      fromMaster.add(answer.build());
    }

    private boolean holds(long number, long lease) {
      return ours.containsKey(number) && leases.getOrDefault(number, 0L) == lease;
    }

    private ReportOutcome judge(ShardReport report) {
      long number = report.getNumber();
      boolean isDone = report.getFate() == ShardFate.SHARD_FATE_UNSPECIFIED;
      if (!holds(number, report.getLease())) {
        boolean said =
            leases.getOrDefault(number, 0L) == report.getLease()
                && done.containsKey(number) == isDone;
        return said ? ReportOutcome.REPORT_OUTCOME_REPEATED : ReportOutcome.REPORT_OUTCOME_REFUSED;
      }
      if (isDone) {
        ours.remove(number);
        done.merge(number, 1, Integer::sum);
        return ReportOutcome.REPORT_OUTCOME_UNSPECIFIED;
      }
      requeue(number);
      return ReportOutcome.REPORT_OUTCOME_REQUEUED;
    }

    private void requeue(long number) {
      ours.remove(number);
      todo.add(number);
    }

    /// The master thinks this worker late with one of its shards.
    private void takeAway() {
      if (!ours.isEmpty()) {
        requeue(List.copyOf(ours.keySet()).get(chance.nextInt(ours.size())));
      }
    }

    /// Another worker does one.
    private void othersWork() {
      if (!todo.isEmpty()) {
        long number = todo.pollLast();
        leases.merge(number, 1L, Long::sum);
        done.merge(number, 1, Integer::sum);
      }
    }
  }
}

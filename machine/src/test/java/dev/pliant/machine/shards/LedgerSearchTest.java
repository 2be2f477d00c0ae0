package dev.pliant.machine.shards;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.shards.DataShardManager.Grant;
import dev.pliant.machine.shards.DataShardManager.Judgement;
import dev.pliant.machine.shards.DataShardManager.LeaseState;
import dev.pliant.machine.shards.DataShardManager.Requeue;
import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.machine.shards.ShardReport.Outcome;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random lives of a ledger beside a naive book of the same: whatever workers do, every record is
/// done once, nothing is lost, and END comes then and only then.
class LedgerSearchTest {
  /// A lease that some worker believes it has.
  private record Belief(int worker, long number, long lease) {}

  private static final class Life {
    final SplittableRandom random;
    final DatasetSpec spec;
    ShardLedger ledger;
    long now = 1_000;
    final List<Belief> beliefs = new ArrayList<>();
    final Map<Long, Belief> holders = new HashMap<>();
    final TreeMap<Long, Integer> completions = new TreeMap<>();
    final TreeMap<String, Long> streamEnds = new TreeMap<>();
    boolean closed;
    long recordsDone;

    Life(long seed) {
      random = new SplittableRandom(seed);
      spec = spec();
      ledger = new ShardLedger(spec, 0);
    }

    DatasetSpec spec() {
      int size = random.nextInt(1, 400);
      int shard = random.nextInt(1, Math.min(size, 40) + 1);
      Consumption shards = new Consumption.Shards(shard, 100);
      return switch (random.nextInt(4)) {
        case 0 -> spec(new Source.Table(size), shards, random.nextInt(1, 5), Shuffle.NONE);
        case 1 -> spec(new Source.Table(size), shards, random.nextInt(1, 5), Shuffle.SHARDS);
        case 2 -> spec(new Source.Text(size), shards, random.nextInt(1, 5), Shuffle.RECORDS);
        default -> spec(new Source.Stream(List.of()), shards, 1, Shuffle.NONE);
      };
    }

    DatasetSpec spec(Source source, Consumption consumption, int epochs, Shuffle shuffle) {
      return new DatasetSpec(
          new DatasetName("d"), source, consumption, epochs, shuffle, random.nextLong());
    }

    void step() {
      now += random.nextInt(50);
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> lease();
        case 4, 5, 6 -> report();
        case 7 -> loseWorker();
        case 8 -> grow();
        default -> ledger = ShardLedger.of(spec, 0, ledger.image());
      }
    }

    void lease() {
      int worker = random.nextInt(5);
      Grant grant = DataShardManager.lease(ledger, random.nextInt(1, 9));
      if (grant.state() != LeaseState.LEASED) {
        boolean complete = isComplete();
        assertThat(grant.state()).isEqualTo(complete ? LeaseState.END : LeaseState.WAIT);
        return;
      }
      ledger.leased(worker, grant.again(), grant.freshFrom(), grant.fresh(), grant.ranges(), now);
      for (long number : grant.again()) {
        believe(worker, number);
      }
      for (int i = 0; i < grant.fresh(); i++) {
        believe(worker, grant.freshFrom() + i);
      }
    }

    void believe(int worker, long number) {
      Belief belief = new Belief(worker, number, ledger.lease(number));
      assertThat(holders.put(number, belief)).as("shard %d out twice", number).isNull();
      assertThat(completions).doesNotContainKey(number);
      beliefs.add(belief);
    }

    void report() {
      if (beliefs.isEmpty()) {
        return;
      }
      // Old beliefs are reported too, and some twice.
      Belief belief = beliefs.get(random.nextInt(beliefs.size()));
      Fate fate = random.nextInt(8) == 0 ? Fate.FAILED : Fate.DONE;
      Judgement judgement =
          DataShardManager.judge(
              ledger,
              belief.worker,
              "w",
              List.of(new ShardReport(belief.number, belief.lease, fate, "")));
      boolean holds = belief.equals(holders.get(belief.number));
      Outcome outcome = judgement.outcomes() == null ? Outcome.DONE : judgement.outcomes()[0];
      if (!holds) {
        assertThat(outcome).isIn(Outcome.REPEATED, Outcome.REFUSED);
        assertThat(judgement.done()).isEmpty();
        assertThat(judgement.requeues()).isEmpty();
        return;
      }
      holders.remove(belief.number);
      if (fate == Fate.DONE) {
        assertThat(outcome).isEqualTo(Outcome.DONE);
        recordsDone += ledger.length(belief.number);
        ledger.done(belief.number, now);
        completions.merge(belief.number, 1, Integer::sum);
      } else {
        assertThat(outcome).isEqualTo(Outcome.REQUEUED);
        ledger.requeued(belief.number, true);
      }
    }

    void loseWorker() {
      int worker = random.nextInt(5);
      for (Requeue requeue : DataShardManager.recover(ledger, worker, "w", false, "").requeues()) {
        for (long number : requeue.numbers()) {
          assertThat(holders.remove(number)).isNotNull().matches(b -> b.worker() == worker);
          ledger.requeued(number, false);
        }
      }
      assertThat(holders.values()).noneMatch(b -> b.worker() == worker);
    }

    void grow() {
      if (!(spec.source() instanceof Source.Stream) || closed) {
        return;
      }
      String name = "p" + random.nextInt(3);
      long end = streamEnds.merge(name, (long) random.nextInt(1, 60), Long::sum);
      closed = random.nextInt(30) == 0;
      List<Partition> grown = List.of(new Partition(name, 0, end));
      DataShardManager.checkGrowth(ledger, grown);
      ledger.grown(grown, closed);
    }

    boolean isComplete() {
      return spec.source() instanceof Source.Stream
          ? closed && recordsDone == streamEnds.values().stream().mapToLong(n -> n).sum()
          : completions.size() == spec.parts();
    }

    void finish() {
      while (DataShardManager.state(ledger) != LeaseState.END) {
        if (spec.source() instanceof Source.Stream && !closed) {
          closed = true;
          ledger.grown(List.of(), true);
        }
        lease();
        beliefs.removeIf(b -> !b.equals(holders.get(b.number)));
        report();
      }
      assertThat(isComplete()).isTrue();
      assertThat(completions.values()).allMatch(times -> times == 1);
      assertThat(ledger.recordsWaiting()).isZero();
      assertThat(ledger.recordsOut()).isZero();
      assertThat(ledger.recordsDone()).isEqualTo(recordsDone);
      if (!(spec.source() instanceof Source.Stream)) {
        assertThat(recordsDone).isEqualTo(spec.size() * spec.epochs());
        everyRecordOfEveryEpochOnce();
      }
    }

    void everyRecordOfEveryEpochOnce() {
      ShardLayout layout = new ShardLayout(spec);
      for (long epoch = 0; epoch < spec.epochs(); epoch++) {
        int[] times = new int[(int) spec.size()];
        for (long i = 0; i < spec.partsPerEpoch(); i++) {
          long number = epoch * spec.partsPerEpoch() + i;
          layout.forEachRecord(
              number,
              record -> {
                times[(int) record]++;
                assertThat(layout.numberOf(number / spec.partsPerEpoch(), record))
                    .isEqualTo(number);
              });
        }
        assertThat(times).containsOnly(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_000_001, 2_000_001})
  void everyRecordIsDoneOnceInEveryLife(long firstSeed) {
    for (long seed = firstSeed; seed < firstSeed + 200; seed++) {
      Life life = new Life(seed);
      try {
        for (int i = 0; i < 400; i++) {
          life.step();
        }
        life.finish();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ", " + life.spec, e);
      }
    }
  }
}

package dev.pliant.benchmarks;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Step;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.master.journal.EventCodec;
import dev.pliant.master.journal.JobRecovery;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.Batch;
import java.io.IOException;
import java.util.List;

/// Writes a long journal the way a master does that is called by 32 workers: each leases a shard in
/// one batch and reports it in the next, and every lease and every report is an event.
final class LongJournal {
  private static final int WORKERS = 32;
  private static final DatasetName DATASET = new DatasetName("replayed");

  private final JournalStore store;
  private final JobState state;
  private long now = 1_000_000_000_000L;
  private Batch.Builder batch = Batch.newBuilder();

  private LongJournal(JournalStore store, JobState state) {
    this.store = store;
    this.state = state;
  }

  static void append(JournalLocation journal, JobId job, long events) throws IOException {
    try (var store = JournalStores.open(journal, job)) {
      long _ = store.claim();
      JobState state = JobRecovery.recover(store, job);
      store.begin(state.events() + 1);
      new LongJournal(store, state).write(events);
    }
  }

  private void write(long events) throws IOException {
    var _ = decide(new Command.CreateDataset(table(events)));
    commit();
    while (state.events() < events) {
      var leased = new Answer.LeasedShard[WORKERS];
      for (int i = 0; i < WORKERS; i++) {
        Answer answer = decide(new Command.Lease(worker(i), DATASET, 1, 0));
        leased[i] = ((Answer.Leased) answer).shards().getFirst();
      }
      commit();
      for (int i = 0; i < WORKERS; i++) {
        var report =
            new ShardReport(leased[i].number(), leased[i].lease(), ShardReport.Fate.DONE, "");
        var _ = decide(new Command.Report(worker(i), DATASET, List.of(report)));
      }
      commit();
    }
  }

  private static DatasetSpec table(long shards) {
    return new DatasetSpec(
        DATASET,
        new DatasetSpec.Source.Table(shards * PliantMaster.SHARD_SIZE),
        new DatasetSpec.Consumption.Shards(PliantMaster.SHARD_SIZE, DatasetSpec.DEFAULT_RETRIES),
        1,
        DatasetSpec.Shuffle.NONE,
        0);
  }

  private static WorkerId worker(int number) {
    return new WorkerId("worker-" + number);
  }

  private Answer decide(Command command) {
    if (batch.getEventsCount() == 0) {
      batch.setFirstSequence(state.events() + 1).setAtMs(now);
    }
    Step step = JobMachine.step(state, List.of(List.of(command)), now);
    step.events().forEach(event -> batch.addEvents(EventCodec.encode(event)));
    return step.outcomes().getFirst().answers().getFirst();
  }

  private void commit() throws IOException {
    store.append(batch.build());
    batch = Batch.newBuilder();
    now++;
  }
}

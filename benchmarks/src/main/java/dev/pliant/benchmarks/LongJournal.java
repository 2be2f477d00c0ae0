package dev.pliant.benchmarks;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Step;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.master.journal.JobRecovery;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.journal.StepBatches;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Writes a long journal the way a master does that is called by 32 workers: each leases a shard in
/// one batch and reports it in the next, and every lease and every report is an event.
final class LongJournal {
  private static final int WORKERS = 32;
  private static final DatasetName DATASET = new DatasetName("replayed");

  private final JournalStore store;
  private final JobState state;
  private long now = 1_000_000_000_000L;

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
    var _ = step(List.of(new Command.CreateDataset(table(events))));
    while (state.events() < events) {
      List<Command> leases = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        leases.add(new Command.Lease(worker(i), DATASET, 1, 0));
      }
      List<Answer> leased = step(leases);
      List<Command> reports = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        Answer.LeasedShard shard = ((Answer.Leased) leased.get(i)).shards().getFirst();
        var report = new ShardReport(shard.number(), shard.lease(), ShardReport.Fate.DONE, "");
        reports.add(new Command.Report(worker(i), DATASET, List.of(report)));
      }
      var _ = step(reports);
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

  /// Decides requests of one command each and writes the step; returns their answers.
  private List<Answer> step(List<Command> commands) throws IOException {
    long next = state.events() + 1;
    Step step = JobMachine.step(state, commands.stream().map(List::of).toList(), now);
    for (StepBatches.Part part : StepBatches.of(step, next, now)) {
      store.append(part.batch());
    }
    now++;
    return step.outcomes().stream().map(outcome -> outcome.answers().getFirst()).toList();
  }
}

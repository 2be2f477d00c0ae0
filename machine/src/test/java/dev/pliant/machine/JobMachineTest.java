package dev.pliant.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.DataShardManager.LeaseState;
import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.machine.shards.ShardReport.Outcome;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Decision;
import dev.pliant.model.decision.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The machine's rules, one by one.
class JobMachineTest {
  private static final DatasetName DATA = new DatasetName("train");
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  private final JobState state = new JobState(new JobId("default", "rules"));
  private final List<Event> events = new ArrayList<>();
  private long now = 1_000_000;

  private <T extends Answer> T ask(Command command, Class<T> type) {
    Step step = JobMachine.step(state, List.of(List.of(command)), now);
    events.addAll(step.events());
    Step.Outcome outcome = step.outcomes().getFirst();
    if (outcome.refusal() != null) {
      throw outcome.refusal();
    }
    return type.cast(outcome.answers().getFirst());
  }

  private void create(long size, long shard, int retries, long epochs) {
    ask(
        new Command.CreateDataset(
            new DatasetSpec(
                DATA,
                new Source.Table(size),
                new Consumption.Shards(shard, retries),
                epochs,
                Shuffle.NONE,
                0)),
        Answer.Created.class);
  }

  private Answer.Leased lease(WorkerId worker, int want) {
    return ask(new Command.Lease(worker, DATA, want, 0), Answer.Leased.class);
  }

  private Outcome report(WorkerId worker, Answer.LeasedShard shard, Fate fate) {
    Answer.Reported reported =
        ask(
            new Command.Report(
                worker, DATA, List.of(new ShardReport(shard.number(), shard.lease(), fate, "why"))),
            Answer.Reported.class);
    return reported.outcomes() == null ? Outcome.DONE : reported.outcomes()[0];
  }

  private List<Decision> decisions() {
    return events.stream()
        .filter(Event.DecisionMade.class::isInstance)
        .map(e -> ((Event.DecisionMade) e).decision())
        .toList();
  }

  @Test
  void opensTheNextEpochOnlyOneAhead() {
    create(3, 1, 3, 5);
    assertThat(lease(A, 100).shards()).hasSize(6);
    assertThat(lease(B, 100).state()).isEqualTo(LeaseState.WAIT);
  }

  @Test
  void takesBackAShardThatIsLateAndSaysWhy() {
    create(10, 1, 3, 1);
    Answer.LeasedShard shard = lease(A, 1).shards().getFirst();
    now += DataShardManager.LATE_AFTER_MILLIS;
    ask(new Command.CheckDeadlines(), Answer.Done.class);
    assertThat(decisions()).as("not late yet").isEmpty();
    now += 1;
    ask(new Command.CheckDeadlines(), Answer.Done.class);
    assertThat(decisions()).singleElement().matches(d -> d.rule().equals(Rule.LATE_SHARDS));
    Answer.LeasedShard again = lease(B, 1).shards().getFirst();
    assertThat(again.number()).isEqualTo(shard.number());
    assertThat(report(A, shard, Fate.DONE)).isEqualTo(Outcome.REFUSED);
    assertThat(report(B, again, Fate.DONE)).isEqualTo(Outcome.DONE);
  }

  @Test
  void allowsThreeTimesTheSlowestShardBeforeItIsLate() {
    create(10, 1, 3, 1);
    Answer.LeasedShard slow = lease(A, 1).shards().getFirst();
    now += 200_000;
    report(A, slow, Fate.DONE);
    lease(A, 1);
    now += 600_000;
    ask(new Command.CheckDeadlines(), Answer.Done.class);
    assertThat(decisions()).isEmpty();
    now += 1;
    ask(new Command.CheckDeadlines(), Answer.Done.class);
    assertThat(decisions()).hasSize(1);
  }

  @Test
  void theTimeWithoutAMasterDoesNotMakeAShardLate() {
    create(10, 1, 3, 1);
    Answer.LeasedShard shard = lease(A, 1).shards().getFirst();
    now += 10 * DataShardManager.LATE_AFTER_MILLIS;
    ask(new Command.StartMaster(2), Answer.Done.class);
    now += DataShardManager.LATE_AFTER_MILLIS;
    ask(new Command.CheckDeadlines(), Answer.Done.class);
    assertThat(report(A, shard, Fate.DONE)).isEqualTo(Outcome.DONE);
  }

  @Test
  void shardsThatTakeLongerThanTheLimitAreDoneInTheEnd() {
    create(3, 1, 3, 1);
    long takes = DataShardManager.LATE_AFTER_MILLIS + 60_000;
    for (int round = 0; round < 10 && lease(A, 0).state() != LeaseState.END; round++) {
      Answer.Leased leased = lease(A, 1);
      now += takes;
      ask(new Command.CheckDeadlines(), Answer.Done.class);
      leased.shards().forEach(shard -> report(A, shard, Fate.DONE));
    }
    assertThat(lease(A, 1).state()).isEqualTo(LeaseState.END);
  }

  @Test
  void aHeldLeaseIsMatchedByItsLeaseAndNotByItsNumber() {
    create(10, 1, 3, 1);
    Answer.LeasedShard first = lease(A, 1).shards().getFirst();
    report(A, first, Fate.RETURNED);
    Answer.LeasedShard second = lease(A, 1).shards().getFirst();
    assertThat(second.number()).isEqualTo(first.number());
    // The second answer never arrived: the worker still believes in the first.
    Command.Held held = new Command.Held(first.number(), first.lease());
    Answer.Opened opened = ask(new Command.Open(A, DATA, List.of(held)), Answer.Opened.class);
    assertThat(opened.revoked()).containsExactly(held);
    assertThat(lease(B, 1).shards().getFirst().number()).isEqualTo(first.number());
  }

  @Test
  void aRestoreKeepsWhatIsNoMatterOfTraining() {
    DatasetName log = new DatasetName("log");
    DatasetName steps = new DatasetName("steps");
    ask(
        new Command.CreateDataset(
            new DatasetSpec(
                log,
                new Source.Stream(List.of(new Partition("p0", 5, 10))),
                new Consumption.Shards(5, 3),
                1,
                Shuffle.NONE,
                0)),
        Answer.Created.class);
    ask(
        new Command.CreateDataset(
            new DatasetSpec(
                steps, new Source.Text(50), new Consumption.Steps(5), 1, Shuffle.NONE, 0)),
        Answer.Created.class);
    ask(new Command.TakeCheckpoint(), Answer.CheckpointTaken.class);
    ask(
        new Command.GrowStream(
            log, List.of(new Partition("p0", 0, 20), new Partition("p1", 3, 7)), true),
        Answer.Done.class);
    ask(new Command.Lease(A, log, 9, 0), Answer.Leased.class);
    ask(new Command.CommitStep(steps, 0, 0, 7), Answer.Committed.class);
    ask(new Command.RestoreKept(1, 0), Answer.CheckpointRestored.class);
    Answer.Leased again = ask(new Command.Lease(B, log, 9, 0), Answer.Leased.class);
    assertThat(again.shards()).as("p0 5-10, 10-15, 15-20 and p1 3-7").hasSize(4);
    assertThat(ask(new Command.CommitStep(steps, 0, 0, 6), Answer.Committed.class).verdict())
        .as("a zombie of an older world")
        .isEqualTo(StepLedger.Verdict.OLD_WORLD);
  }

  @Test
  void aRepeatedRestoreUndoesNothingThatCameAfterIt() {
    create(100, 10, 3, 1);
    ask(new Command.TakeCheckpoint(), Answer.CheckpointTaken.class);
    Command restore = new Command.RestoreKept(1, 77);
    long lineage = ask(restore, Answer.CheckpointRestored.class).lineage();
    lease(A, 4);
    assertThat(ask(restore, Answer.CheckpointRestored.class).lineage()).isEqualTo(lineage);
    assertThat(lease(B, 1).shards().getFirst().number()).as("4 are out").isEqualTo(4);
    assertThat(ask(new Command.RestoreKept(1, 78), Answer.CheckpointRestored.class).lineage())
        .as("another request")
        .isEqualTo(lineage + 1);
  }

  @Test
  void refusesALedgerThatNoDatasetCouldHave() {
    create(100, 10, 3, 1);
    lease(A, 4);
    DatasetSpec spec = ask(new Command.GetDataset(DATA), Answer.Progress.class).spec();
    long[][] wrong = {{0}, {0, 5}, {1, 2}, {0, -1}, {0, 1, 0, Long.MAX_VALUE}, {0, 4}};
    for (long[] done : wrong) {
      ShardLedgerImage image =
          new ShardLedgerImage(
              4, done, new long[] {0}, List.of(), Map.of(), Map.of(), 0, null, null);
      assertThatThrownBy(() ->
              ask(
                  new Command.RestoreGiven(
                      1, List.of(new LedgerImage.Shards(spec, image)), 0, "", false),
                  Answer.CheckpointRestored.class))
          .as(Arrays.toString(done))
          .isInstanceOfSatisfying(
              PliantException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.DAMAGED_CHECKPOINT));
    }
    DatasetSpec other =
        new DatasetSpec(DATA, spec.source(), new Consumption.Shards(20, 3), 1, Shuffle.NONE, 0);
    ShardLedgerImage fine =
        new ShardLedgerImage(
            1, new long[] {0, 1}, new long[0], List.of(), Map.of(), Map.of(), 0, null, null);
    assertThatThrownBy(() ->
            ask(
                new Command.RestoreGiven(
                    1, List.of(new LedgerImage.Shards(other, fine)), 0, "", false),
                Answer.CheckpointRestored.class))
        .hasMessageContaining("same parameters");
  }

  @Test
  void aDatasetWhoseShardIsAlwaysLateFails() {
    create(10, 1, 1, 1);
    for (int i = 0; i < 2; i++) {
      lease(A, 1);
      now += 2 * DataShardManager.LATE_AFTER_MILLIS + 1;
      ask(new Command.CheckDeadlines(), Answer.Done.class);
    }
    Answer.Leased failed = lease(B, 1);
    assertThat(failed.state()).isEqualTo(LeaseState.FAILED);
    assertThat(failed.failure()).isNotNull().matches(f -> f.worker().equals("a"));
    assertThat(decisions()).extracting(Decision::rule).contains(Rule.RETRIES_USED_UP);
  }

  @ParameterizedTest
  @EnumSource(ExitReason.class)
  void aWorkersEndUsesUpRetriesOnlyWhereTheShardMayBeToBlame(ExitReason reason) {
    create(10, 1, 0, 1);
    lease(A, 2);
    Answer.WorkerEnded ended =
        ask(new Command.EndWorker(A, reason, "gone"), Answer.WorkerEnded.class);
    assertThat(ended.requeued()).isEqualTo(2);
    boolean failed = lease(B, 1).state() == LeaseState.FAILED;
    assertThat(failed)
        .isEqualTo(
            switch (reason) {
              case OOM, FATAL_ERROR, UNKNOWN -> true;
              case SUCCEEDED, KILLED, HARDWARE_ERROR, NO_HEARTBEAT -> false;
            });
    assertThat(decisions().getLast().inputs()).isNotEmpty();
  }

  @Test
  void aFailureThatIsReportedTwiceCostsOneRetry() {
    create(10, 1, 1, 1);
    Answer.LeasedShard shard = lease(A, 1).shards().getFirst();
    assertThat(report(A, shard, Fate.FAILED)).isEqualTo(Outcome.REQUEUED);
    assertThat(report(A, shard, Fate.FAILED)).isEqualTo(Outcome.REPEATED);
    assertThat(lease(B, 1).state()).isEqualTo(LeaseState.LEASED);
  }

  @Test
  void countsAShardOnceThatOneMessageReportsTwice() {
    create(10, 1, 3, 1);
    Answer.LeasedShard shard = lease(A, 1).shards().getFirst();
    ShardReport done = new ShardReport(shard.number(), shard.lease(), Fate.DONE, "");
    Answer.Reported reported =
        ask(new Command.Report(A, DATA, List.of(done, done)), Answer.Reported.class);
    assertThat(reported.outcomes()).containsExactly(Outcome.DONE, Outcome.REPEATED);
  }

  @Test
  void aWorkerThatComesBackHasLostItsLeases() {
    create(10, 1, 3, 1);
    Answer.LeasedShard shard = lease(A, 1).shards().getFirst();
    ask(new Command.EndWorker(A, ExitReason.NO_HEARTBEAT, ""), Answer.WorkerEnded.class);
    Answer.Opened opened =
        ask(
            new Command.Open(A, DATA, List.of(new Command.Held(shard.number(), shard.lease()))),
            Answer.Opened.class);
    assertThat(opened.revoked()).containsExactly(new Command.Held(shard.number(), shard.lease()));
    assertThat(report(A, shard, Fate.DONE)).isEqualTo(Outcome.REFUSED);
    assertThat(ask(new Command.GetJob(), Answer.Job.class).workers()).hasSize(1);
  }

  @Test
  void aDatasetThatIsYoungerThanTheCheckpointBeginsAnew() {
    ask(new Command.TakeCheckpoint(), Answer.CheckpointTaken.class);
    create(10, 1, 3, 1);
    Answer.LeasedShard shard = lease(A, 2).shards().getFirst();
    report(A, shard, Fate.DONE);
    ask(new Command.RestoreKept(1, 0), Answer.CheckpointRestored.class);
    Answer.Job job = ask(new Command.GetJob(), Answer.Job.class);
    assertThat(job.datasets().getFirst().recordsDone()).isZero();
    assertThat(job.datasets().getFirst().recordsOut()).isZero();
    assertThat(job.workers().getFirst().shardsOut()).isZero();
    assertThat(report(A, shard, Fate.DONE)).isEqualTo(Outcome.REFUSED);
    assertThat(lease(B, 10).shards()).hasSize(10);
  }

  @Test
  void endingAWorkerTwiceChangesNothing() {
    create(10, 1, 3, 1);
    lease(A, 1);
    ask(new Command.EndWorker(A, ExitReason.KILLED, ""), Answer.WorkerEnded.class);
    long before = state.events();
    ask(new Command.EndWorker(A, ExitReason.KILLED, ""), Answer.WorkerEnded.class);
    assertThat(state.events()).isEqualTo(before);
    assertThatThrownBy(
            () -> ask(new Command.EndWorker(B, ExitReason.KILLED, ""), Answer.WorkerEnded.class))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER));
  }

  private static final Silence.Limits LIMITS = new Silence.Limits(15_000, 90_000);

  private Silence.Verdict check(WorkerId worker, long millis, boolean heardBefore) {
    Silence silence = new Silence(millis, heardBefore);
    return ask(new Command.CheckWorker(worker, silence, LIMITS), Answer.SilenceChecked.class)
        .verdict();
  }

  @Test
  void aWorkerIsLostOnceItsSilenceIsTooLong() {
    create(10, 1, 3, 1);
    Answer.LeasedShard shard = lease(A, 1).shards().getFirst();
    assertThat(check(A, 15_000, true)).isEqualTo(Silence.Verdict.WAIT);
    assertThat(check(A, 15_001, true)).isEqualTo(Silence.Verdict.LOST);
    assertThat(events).anyMatch(event -> event instanceof Event.WorkerEnded);
    assertThat(lease(B, 1).shards().getFirst().number()).isEqualTo(shard.number());
  }

  @Test
  void aNewMasterWaitsLongerForTheFirstMessageOfAWorker() {
    create(10, 1, 3, 1);
    lease(A, 1);
    assertThat(check(A, 90_000, false)).isEqualTo(Silence.Verdict.WAIT);
    assertThat(check(A, 90_001, false)).isEqualTo(Silence.Verdict.LOST);
  }

  @Test
  void aClockThatIsSetMakesNobodyLost() {
    create(10, 1, 3, 1);
    lease(A, 1);
    now += 100_000;
    assertThat(check(A, 1_000, true)).isEqualTo(Silence.Verdict.WAIT);
  }

  @Test
  void theSilenceOfAWorkerThatNeverJoinedMeansNothing() {
    assertThat(check(A, 15_001, true)).isEqualTo(Silence.Verdict.UNKNOWN);
    assertThat(events).isEmpty();
  }

  @Test
  void aRefusalEndsItsOwnRequestOnlyAndEventsOfCommandsStayApart() {
    create(10, 1, 3, 1);
    Command lease = new Command.Lease(A, DATA, 1, 0);
    Command unknown = new Command.GetDataset(new DatasetName("other"));
    Step step =
        JobMachine.step(
            state, List.of(List.of(lease, unknown, lease), List.of(), List.of(lease)), now);
    assertThat(step.outcomes()).extracting(o -> o.decided().size()).containsExactly(1, 0, 1);
    assertThat(step.outcomes())
        .extracting(o -> o.refusal() == null)
        .containsExactly(false, true, true);
    assertThat(step.events()).hasSize(3).last().isInstanceOf(Event.ShardsLeased.class);
    assertThat(step.followed()).isEmpty();
  }

  @Test
  void withoutAJournalOnlyQuestionsAreAnswered() {
    create(10, 1, 3, 1);
    JobImage before = state.image();
    PliantException why = new PliantException(ErrorCode.JOURNAL_STALLED, "full");
    now += 2 * DataShardManager.LATE_AFTER_MILLIS;
    Step step =
        JobMachine.stepWithoutChange(
            state,
            List.of(List.of(new Command.GetJob()), List.of(new Command.Lease(A, DATA, 1, 0))),
            now,
            why);
    assertThat(step.outcomes().getFirst().answers()).hasSize(1);
    assertThat(step.outcomes().getLast().refusal()).isSameAs(why);
    assertThat(step.events()).isEmpty();
    assertThat(state.image()).isEqualTo(before);
  }
}

package dev.pliant.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.machine.shards.StepLedger.Verdict;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Rule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Steps, committed by worlds; and workers that are members of them.
class WorldCommitTest {
  private static final DatasetName STEPS = new DatasetName("steps");
  private static final WorkerId FIRST = new WorkerId("worker-0");
  private static final WorkerId SECOND = new WorkerId("worker-1");

  private final JobState state = new JobState(new JobId("default", "worlds"));
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

  @BeforeEach
  void create() {
    ask(
        new Command.CreateDataset(
            new DatasetSpec(
                STEPS, new Source.Table(95), new Consumption.Steps(10), 3, Shuffle.NONE, 0)),
        Answer.Created.class);
    ask(new Command.SetRules(RendezvousRules.of(1, 2)), Answer.Done.class);
  }

  private void arrive(WorkerId worker, long after) {
    MemberId member = new MemberId(worker, 1);
    ask(
        new Command.Arrive(
            NodeId.parse(worker.value()),
            List.of(Standing.waits(member, after, after > 0, "127.0.0.1:4000"))),
        Answer.Met.class);
  }

  private Answer.Committed commit(long epoch, long step, long world, boolean through) {
    return ask(
        new Command.CommitStep(STEPS, epoch, step, world, through, Collections.emptySortedMap()),
        Answer.Committed.class);
  }

  private Answer.Job job() {
    return ask(new Command.GetJob(), Answer.Job.class);
  }

  /// Two members in world 1, then the second alone in world 2.
  private void changeWorlds() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    now += 2_000;
    commit(0, 0, 1, false);
    now += 500;
    ask(new Command.EndWorker(FIRST, ExitReason.KILLED, ""), Answer.WorkerEnded.class);
    arrive(SECOND, 1);
    assertThat(job().world().version()).isEqualTo(2);
  }

  @Test
  void commitsEverythingUpToAStepAcrossEpochs() {
    assertThat(commit(1, 3, 0, false).verdict()).isEqualTo(Verdict.GAP);
    Answer.Committed committed = commit(1, 3, 0, true);
    assertThat(committed.verdict()).isEqualTo(Verdict.TAKEN);
    assertThat(committed.nextEpoch()).isEqualTo(1);
    assertThat(committed.nextStep()).isEqualTo(4);
    assertThat(job().datasets().getFirst().recordsDone()).isEqualTo(95 + 40);
    assertThat(commit(1, 3, 0, true).verdict()).isEqualTo(Verdict.REPEATED);
    assertThat(commit(2, 9, 0, true).nextEpoch()).isEqualTo(3);
  }

  @Test
  void refusesWhatAnOlderWorldSaysAndAWorldThatNeverWas() {
    changeWorlds();
    assertThat(commit(0, 1, 1, true).verdict()).isEqualTo(Verdict.OLD_WORLD);
    assertThat(commit(0, 0, 1, true).verdict()).isEqualTo(Verdict.REPEATED);
    assertThat(commit(0, 1, 2, true).verdict()).isEqualTo(Verdict.TAKEN);
    assertThatThrownBy(() -> commit(0, 2, 3, true))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_RANGE));
  }

  @Test
  void countsHowLongStepsStoodStill() {
    changeWorlds();
    assertThat(job().world().pausedMillis()).isZero();
    now += 250;
    commit(0, 1, 2, false);
    assertThat(job().world().pausedMillis()).as("from step to step").isEqualTo(750);
    now += 10_000;
    commit(0, 2, 2, false);
    assertThat(job().world().pausedMillis()).as("a slow step is no change").isEqualTo(750);
  }

  @Test
  void keepsTheNewestOfWhatTheTrainingSays() {
    ask(
        new Command.CommitStep(STEPS, 0, 0, 0, false, new TreeMap<>(Map.of("a", 1.0, "b", 2.0))),
        Answer.Committed.class);
    ask(
        new Command.CommitStep(STEPS, 0, 1, 0, false, new TreeMap<>(Map.of("a", 3.0))),
        Answer.Committed.class);
    assertThat(job().metrics()).containsExactlyInAnyOrderEntriesOf(Map.of("a", 3.0, "b", 2.0));
    TreeMap<String, Double> many = new TreeMap<>();
    for (int i = 0; i <= TrainingStatus.MAX_METRICS; i++) {
      many.put("m" + i, 1.0);
    }
    for (Map<String, Double> wrong :
        List.of(many, Map.of("x".repeat(65), 1.0), Map.of("", 1.0), Map.of("a", Double.NaN))) {
      assertThatThrownBy(() -> new Command.CommitStep(STEPS, 0, 2, 0, false, new TreeMap<>(wrong)))
          .isInstanceOf(PliantException.class);
    }
  }

  @Test
  void restoresTheBeginningByNumberZero() {
    commit(0, 4, 0, true);
    Answer.CheckpointRestored restored =
        ask(new Command.RestoreKept(0, 0), Answer.CheckpointRestored.class);
    assertThat(restored.lineage()).isEqualTo(1);
    assertThat(job().datasets().getFirst().recordsDone()).isZero();
    assertThat(commit(0, 0, 0, false).verdict()).isEqualTo(Verdict.TAKEN);
  }

  /// The ledger of a checkpoint that another run took at that step, in its ninth world.
  private Command.RestoreGiven given(long epoch, long step, String uid, boolean takeOver) {
    DatasetSpec spec =
        new DatasetSpec(STEPS, new Source.Table(95), new Consumption.Steps(10), 3, Shuffle.NONE, 0);
    StepLedger.Image ledger = new StepLedger.Image(epoch, step, 9);
    return new Command.RestoreGiven(
        4, List.of(new LedgerImage.Steps(spec, ledger)), 0, uid, takeOver);
  }

  @Test
  void aRestoredWorldOfAnotherRunDoesNotKeepThisRunFromCommitting() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    ask(given(1, 3, "", false), Answer.CheckpointRestored.class);
    assertThat(commit(1, 3, 1, true).verdict()).isEqualTo(Verdict.TAKEN);
  }

  private List<Rule> rules() {
    return events.stream()
        .filter(Event.DecisionMade.class::isInstance)
        .map(event -> ((Event.DecisionMade) event).decision().rule())
        .toList();
  }

  /// Commits a step that leaves a gap, which no ledger takes.
  private void commitInVain(long world) {
    assertThat(commit(2, 5, world, false).verdict()).isEqualTo(Verdict.GAP);
  }

  @Test
  void membersThatWorkInVainFormAnotherWorldAndThenTheJobFails() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    commitInVain(1);
    now += 9_000;
    commitInVain(1);
    assertThat(job().world().reforming()).isFalse();
    now += 1_000;
    commitInVain(1);
    assertThat(job().world().reforming()).isTrue();

    arrive(FIRST, 1);
    arrive(SECOND, 1);
    assertThat(job().world().version()).isEqualTo(2);
    commitInVain(2);
    now += 10_000;
    commitInVain(2);
    assertThat(state.outlook().meeting().ending())
        .satisfies(ending -> {
          assertThat(ending.complete()).isFalse();
          assertThat(ending.why())
              .contains("Progress is not being recorded", "World 2 reported step 5 of epoch 2");
        });
    assertThat(rules()).contains(Rule.PROGRESS_NOT_RECORDED);
  }

  @Test
  void aWorldThatCatchesUpWithTheLedgerIsLeftAlone() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    commit(0, 6, 1, true);
    for (long step = 0; step < 6; step++) {
      assertThat(commit(0, step, 1, true).verdict()).isEqualTo(Verdict.REPEATED);
      now += 30_000;
    }
    assertThat(job().world().reforming()).isFalse();
    assertThat(commit(0, 7, 1, true).verdict()).isEqualTo(Verdict.TAKEN);
  }

  @Test
  void oneStepThatIsTakenEndsTheDoubtAboutAWorld() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    commitInVain(1);
    now += 9_000;
    commit(0, 0, 1, true);
    now += 9_000;
    commitInVain(1);
    assertThat(job().world().reforming()).isFalse();
  }

  @Test
  void aWorldThatEndedForAnotherReasonDoesNotCount() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    commitInVain(1);
    ask(new Command.EndWorker(FIRST, ExitReason.KILLED, ""), Answer.WorkerEnded.class);
    arrive(SECOND, 1);
    assertThat(job().world().version()).isEqualTo(2);
    commitInVain(2);
    now += 10_000;
    commitInVain(2);
    assertThat(job().world().reforming()).isTrue();
    assertThat(state.outlook().meeting().ending()).isNull();
  }

  @Test
  void aMemberIsAWorkerAndEndsAsBoth() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    assertThat(state.liveWorkers()).containsExactly(FIRST, SECOND);
    ask(
        new Command.EndWorker(FIRST, ExitReason.NO_HEARTBEAT, "nothing was heard"),
        Answer.WorkerEnded.class);
    assertThat(job().world().reforming()).isTrue();
    ask(
        new Command.Leave(new MemberId(SECOND, 1), ExitReason.KILLED, ""),
        Answer.WorkerEnded.class);
    assertThat(state.liveWorkers()).isEmpty();
    assertThat(state.outlook().meeting().ending()).isNull();
  }

  @Test
  void journalsWhyAWorldWasFormedAndWhyItIsTheLast() {
    arrive(FIRST, 0);
    arrive(SECOND, 0);
    ask(
        new Command.Leave(new MemberId(SECOND, 1), ExitReason.SUCCEEDED, ""),
        Answer.WorkerEnded.class);
    assertThat(events)
        .filteredOn(Event.DecisionMade.class::isInstance)
        .extracting(event -> ((Event.DecisionMade) event).decision().rule())
        .containsExactly(Rule.WORLD_FORMED, Rule.TRAINING_COMPLETE);
  }
}

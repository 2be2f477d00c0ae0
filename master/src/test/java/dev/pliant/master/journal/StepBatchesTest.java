package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Silence;
import dev.pliant.machine.Step;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.DecidedCommand;
import dev.pliant.protocol.journal.v1.DecidedCommand.CommandCase;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepBatchesTest {
  private static final DatasetName SHARDS = new DatasetName("shards");
  private static final DatasetName STEPS = new DatasetName("train");
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  private final JobState state = new JobState(new JobId("default", "batches"));

  private List<StepBatches.Part> parts(int fullBytes, List<List<Command>> requests) {
    long next = state.events() + 1;
    Step step = JobMachine.step(state, requests, 5_000);
    return StepBatches.of(step, next, 5_000, fullBytes);
  }

  private Batch batch(Command... commands) {
    List<StepBatches.Part> parts = parts(Integer.MAX_VALUE, List.of(List.of(commands)));
    assertThat(parts).hasSize(1);
    return parts.getFirst().batch();
  }

  private static Command.CreateDataset shards() {
    return new Command.CreateDataset(
        new DatasetSpec(
            SHARDS, new Source.Table(100), new Consumption.Shards(5, 3), 1, Shuffle.NONE, 1));
  }

  private static Command.CreateDataset steps() {
    return new Command.CreateDataset(
        new DatasetSpec(
            STEPS, new Source.Table(100), new Consumption.Steps(5), 1, Shuffle.NONE, 1));
  }

  private static Command lease(WorkerId worker) {
    return new Command.Lease(worker, SHARDS, 2, 0);
  }

  private static Command.Arrive arrives(int number) {
    return new Command.Arrive(
        new NodeId("worker", number),
        List.of(
            Standing.waits(new MemberId(new WorkerId("worker-" + number), 1), 0, false, "host:1")));
  }

  @Test
  void commandsThatChangeNothingAreNotWritten() {
    assertThat(batch(shards()).getCommandsCount()).isEqualTo(1);

    assertThat(
            parts(
                Integer.MAX_VALUE,
                List.of(
                    List.of(shards(), new Command.GetJob(), new Command.CheckDeadlines()),
                    List.of(
                        new Command.CheckWorker(
                            A, new Silence(100, true), new Silence.Limits(1_000, 1_000))))))
        .isEmpty();
  }

  @Test
  void aRefusedCommandLeavesNothingAndThoseBeforeItStay() {
    Batch batch = batch(steps(), new Command.CommitStep(SHARDS, 0, 0, 0), shards());

    assertThat(batch.getCommandsList())
        .extracting(DecidedCommand::getCommandCase)
        .containsExactly(CommandCase.CREATE_DATASET);
    assertThat(batch.getEventsCount()).isEqualTo(1);
  }

  @Test
  void leasesInARowAreOneEntryWithoutACommand() {
    Batch batch = batch(shards(), lease(A), lease(A), lease(B), steps(), lease(A));

    assertThat(batch.getCommandsList())
        .extracting(DecidedCommand::getCommandCase)
        .containsExactly(
            CommandCase.CREATE_DATASET,
            CommandCase.COMMAND_NOT_SET,
            CommandCase.CREATE_DATASET,
            CommandCase.COMMAND_NOT_SET);
    // Two workers joined and three leases were given.
    assertThat(batch.getCommands(1).getMoreEvents()).isEqualTo(4);
  }

  @Test
  void whatFollowedBelongsToNoCommand() {
    Command rules =
        new Command.SetRules(dev.pliant.machine.rendezvous.RendezvousRules.of(1, 2).withWished(1));
    Batch batch = batch(rules, arrives(0));

    assertThat(batch.getCommandsCount()).isEqualTo(2);
    int owned = batch.getCommandsList().stream().mapToInt(c -> c.getMoreEvents() + 1).sum();
    assertThat(batch.getEventsList().subList(owned, batch.getEventsCount()))
        .extracting(event -> event.getKindCase().name())
        .containsExactly("WORLD_FORMED", "DECISION_MADE");
  }

  @Test
  void aLargeStepIsWrittenInWholeRequestsAndItsLastBatchHasWhatFollowed() {
    List<StepBatches.Part> parts =
        parts(
            1,
            List.of(
                List.of(shards(), steps()),
                List.of(new Command.GetJob()),
                List.of(lease(A)),
                List.of(arrives(0)),
                List.of()));

    assertThat(parts).extracting(StepBatches.Part::requests).containsExactly(1, 3, 4);
    assertThat(parts).extracting(part -> part.batch().getStepGoesOn()).containsOnly(true);
    assertThat(parts)
        .extracting(part -> part.batch().getFirstSequence())
        .containsExactly(1L, 3L, 5L);

    // A second is over without anybody else: now the world is formed.
    List<StepBatches.Part> later =
        StepBatches.of(
            JobMachine.step(state, List.of(List.of(new Command.TakeCheckpoint())), 7_000),
            state.events(),
            7_000,
            1);
    assertThat(later).extracting(part -> part.batch().getStepGoesOn()).containsExactly(true, false);
    assertThat(later.getLast().batch().getCommandsCount()).isZero();
    assertThat(later.getLast().requests()).isEqualTo(1);
  }

  @Test
  void theCommitOfAStepIsSmall() {
    assertThat(batch(steps())).isNotNull();
    Batch batch =
        batch(new Command.CommitStep(STEPS, 0, 0, 0, false, Collections.emptySortedMap()));

    assertThat(batch.getCommands(0).hasCommitStep()).isTrue();
    assertThat(batch.getSerializedSize()).isLessThan(32);
  }
}

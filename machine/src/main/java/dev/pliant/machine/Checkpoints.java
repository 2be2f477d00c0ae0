package dev.pliant.machine;

import dev.pliant.machine.JobMachine.Decided;
import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.List;

/// Decides what taking a checkpoint of the ledgers comes to, and bringing one back.
final class Checkpoints {
  private Checkpoints() {}

  static Decided take(JobState state) {
    long number = state.lastCheckpoint() + 1;
    return new Decided(
        List.of(new Event.CheckpointTaken(number)),
        new Answer.CheckpointTaken(
            number, state.ledgers(), state.uid(), state.run(), state.lineage()));
  }

  static Decided restoreKept(JobState state, long number, long requestId, long nowMillis) {
    if (isRepeated(state, requestId)) {
      return repeated(state);
    }
    if (number == 0) {
      // Before the first checkpoint every ledger is untouched.
      return restore(state, 0, List.of(), requestId, "", nowMillis);
    }
    List<LedgerImage> ledgers = state.checkpoints().get(number);
    if (ledgers == null) {
      throw new PliantException(
          ErrorCode.UNKNOWN_CHECKPOINT,
          "job %s keeps no checkpoint %d; it keeps %s."
              .formatted(
                  state.job(),
                  number,
                  state.checkpoints().isEmpty() ? "none" : state.checkpoints().keySet()));
    }
    return restore(state, number, ledgers, requestId, "", nowMillis);
  }

  /// A checkpoint that comes from outside belongs to this job, or is taken over on purpose: the
  /// records that another job has trained are none of this one's.
  static Decided restoreGiven(JobState state, Command.RestoreGiven given, long nowMillis) {
    if (isRepeated(state, given.requestId())) {
      return repeated(state);
    }
    boolean foreign =
        !given.uid().equals(state.uid()) && !given.uid().isEmpty() && !state.uid().isEmpty();
    if (foreign && !given.takeOver()) {
      throw new PliantException(
          ErrorCode.FOREIGN_CHECKPOINT,
          "checkpoint %d was taken by an earlier run of job %s (uid %s; this one has %s). To start from it, run the job with --from-checkpoint."
              .formatted(given.number(), state.job(), given.uid(), state.uid()));
    }
    String from = foreign || (given.takeOver() && given.uid().isEmpty()) ? source(given) : "";
    return restore(state, given.number(), given.ledgers(), given.requestId(), from, nowMillis);
  }

  private static String source(Command.RestoreGiven given) {
    return given.uid().isEmpty() ? "unknown" : given.uid();
  }

  private static Decided restore(
      JobState state,
      long number,
      List<LedgerImage> ledgers,
      long requestId,
      String from,
      long nowMillis) {
    for (LedgerImage image : ledgers) {
      checkFits(state, image);
    }
    List<LedgerImage> restored = new ArrayList<>();
    for (LedgerImage now : state.ledgers()) {
      restored.add(restored(state, now, ledgers));
    }
    long lineage = state.lineage() + 1;
    NextEvents events = new NextEvents(state, nowMillis);
    events.decide(
        List.of(new Event.CheckpointRestored(number, lineage, restored, requestId, from)),
        Decisions.restored(state, number, lineage, from));
    return new Decided(events.list(), new Answer.CheckpointRestored(lineage));
  }

  /// Whoever did not hear the answer asks again: what was trained meanwhile must stay.
  private static boolean isRepeated(JobState state, long requestId) {
    return requestId != 0 && requestId == state.restoreRequest();
  }

  private static Decided repeated(JobState state) {
    return new Decided(List.of(), new Answer.CheckpointRestored(state.lineage()));
  }

  /// A dataset's ledger as the checkpoint has it, with nothing out. A dataset that was created
  /// later begins anew: the model that comes back has seen none of it. What is no matter of
  /// training stays as it is: how far a stream is known, and which worlds are too old to commit.
  /// The world in the checkpoint may be one of another run, whose worlds were counted anew: were it
  /// kept, no world of this run could commit before it had a higher number.
  private static LedgerImage restored(JobState state, LedgerImage now, List<LedgerImage> then) {
    LedgerImage image =
        then.stream()
            .filter(old -> old.dataset().equals(now.dataset()))
            .findFirst()
            .orElseGet(() -> state.untouched(now.dataset()));
    return switch (image) {
      case LedgerImage.Shards(DatasetSpec spec, ShardLedgerImage old) ->
          new LedgerImage.Shards(
              spec, old.restoredOver(((LedgerImage.Shards) now).ledger().stream()));
      case LedgerImage.Steps(DatasetSpec spec, StepLedger.Image old) ->
          new LedgerImage.Steps(
              spec,
              new StepLedger.Image(
                  old.epoch(), old.step(), ((LedgerImage.Steps) now).ledger().world()));
    };
  }

  /// Refuses a ledger that is not of a dataset of this job, or that no dataset could have.
  private static void checkFits(JobState state, LedgerImage image) {
    int number = state.datasetNumber(image.dataset());
    if (number < 0 || !state.dataset(number).spec().equals(image.spec())) {
      throw new PliantException(
          ErrorCode.FOREIGN_CHECKPOINT,
          "the checkpoint has a ledger of dataset '%s', which job %s does not have with the same parameters; create the job's datasets first, as they were."
              .formatted(image.dataset(), state.job()));
    }
    String trouble =
        switch (image) {
          case LedgerImage.Shards(DatasetSpec spec, ShardLedgerImage ledger) ->
              spec.consumption() instanceof Consumption.Shards
                  ? ledger.troubleWith(spec)
                  : "it has shards, not steps";
          case LedgerImage.Steps(DatasetSpec spec, StepLedger.Image ledger) ->
              spec.consumption() instanceof Consumption.Steps
                  ? ledger.troubleWith(spec)
                  : "it has steps, not shards";
        };
    if (!trouble.isEmpty()) {
      throw new PliantException(
          ErrorCode.DAMAGED_CHECKPOINT,
          "the checkpoint's ledger of dataset '%s' cannot be: %s; use the checkpoint before it."
              .formatted(image.dataset(), trouble));
    }
  }
}

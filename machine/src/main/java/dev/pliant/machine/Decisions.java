package dev.pliant.machine;

import dev.pliant.machine.JobState.Worker;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.util.ArrayList;
import java.util.List;

/// The machine's decisions about data: a shard that came back, a dataset that failed, a ledger that
/// was set back.
final class Decisions {
  private Decisions() {}

  static Choice workerEnded(Worker worker, ExitReason reason, String message, int requeued) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.name(InputName.EXIT_REASON, reason));
    inputs.add(Input.text(InputName.MESSAGE, message));
    inputs.add(Input.count(InputName.SHARDS, requeued));
    return new Choice(
        new Subject.OfWorker(worker.id),
        reason.usesUpRetries() ? Rule.WORKER_FAILED : Rule.WORKER_GONE,
        inputs,
        reason.usesUpRetries()
            ? Alternatives.rejected(Alternative.KEEP_RETRIES, Objection.MAY_HAVE_CAUSED_FAILURE)
            : Alternatives.rejected(Alternative.USE_RETRIES, Objection.CAUSE_IS_OUTSIDE_PROGRAM),
        new Plan.RequeueShards(requeued));
  }

  static Choice late(ShardLedger ledger, WorkerId worker, long[] numbers) {
    return new Choice(
        new Subject.OfShards(ledger.spec().name(), numbers[0], numbers.length),
        Rule.LATE_SHARDS,
        List.of(
            Input.name(InputName.WORKER, worker.value()),
            Input.count(InputName.SHARDS, numbers.length),
            Input.duration(InputName.SLOWEST_SHARD, ledger.slowestMillis()),
            Input.duration(InputName.LONGEST_WAIT, DataShardManager.lateAfterMillis(ledger))),
        Alternatives.rejected(Alternative.WAIT_LONGER, Objection.LONGEST_WAIT_OVER),
        new Plan.RequeueShards(numbers.length));
  }

  static Choice failed(ShardLedger ledger, Failure failure) {
    return new Choice(
        new Subject.OfDataset(ledger.spec().name()),
        Rule.RETRIES_USED_UP,
        List.of(
            Input.count(InputName.SHARD, failure.shard()),
            Input.name(InputName.WORKER, failure.worker()),
            Input.text(InputName.CAUSE, failure.cause()),
            Input.count(InputName.FAILURES_BEFORE, ledger.failures(failure.shard()))),
        Alternatives.rejected(Alternative.SKIP_SHARD, Objection.NO_RECORD_MAY_BE_LOST),
        new Plan.FailDataset(ledger.spec().name()));
  }

  /// @param from the uid of the job that took the checkpoint, where that is another one
  static Choice restored(JobState state, long number, long lineage, String from) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.count(InputName.CHECKPOINT, number));
    inputs.add(Input.count(InputName.LINEAGE_BEFORE, state.lineage()));
    if (!from.isEmpty()) {
      inputs.add(Input.name(InputName.TAKEN_BY, from));
    }
    return new Choice(
        new Subject.OfJob(),
        Rule.CHECKPOINT_RESTORED,
        inputs,
        Alternatives.rejected(Alternative.KEEP_LEASES, Objection.MODEL_GOES_BACK),
        new Plan.RestoreLedgers(number, lineage));
  }
}

package dev.pliant.machine;

import dev.pliant.machine.JobState.Worker;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import java.util.List;

/// The machine's decisions with their reasons: what history shows for a shard that came back, a
/// dataset that failed, a ledger that was set back.
final class Decisions {
  private Decisions() {}

  static Event workerEnded(Worker worker, ExitReason reason, String cause, int requeued) {
    return made(
        "worker " + worker.id,
        reason.usesUpRetries() ? "worker-failed" : "worker-gone",
        List.of(
            new Input("reason", reason.name()),
            new Input("cause", cause),
            new Input("shards out", Integer.toString(requeued))),
        List.of(
            reason.usesUpRetries()
                ? new Rejected(
                    "leave their retries as they are",
                    "one of them may have brought the worker down")
                : new Rejected(
                    "use up a retry of each", "the worker went for a reason outside its shards")),
        "%d shards go back to the front".formatted(requeued));
  }

  static Event late(ShardLedger ledger, WorkerId worker, long[] numbers) {
    return made(
        "dataset " + ledger.spec().name(),
        "late-shards",
        List.of(
            new Input("worker", worker.value()),
            new Input("shards", Integer.toString(numbers.length)),
            new Input("first shard", Long.toString(numbers[0])),
            new Input("slowest done, ms", Long.toString(ledger.slowestMillis())),
            new Input("limit, ms", Long.toString(DataShardManager.lateAfterMillis(ledger)))),
        List.of(new Rejected("wait longer", "they are out for longer than the limit")),
        "%d shards go back to the front".formatted(numbers.length));
  }

  static Event failed(ShardLedger ledger, Failure failure) {
    return made(
        "dataset " + ledger.spec().name(),
        "retries-used-up",
        List.of(
            new Input("shard", Long.toString(failure.shard())),
            new Input("worker", failure.worker()),
            new Input("cause", failure.cause()),
            new Input("failures before", Integer.toString(ledger.failures(failure.shard())))),
        List.of(new Rejected("skip the shard", "nothing is dropped in silence")),
        "the dataset fails");
  }

  /// @param from the uid of the job that took the checkpoint, where that is another one
  static Event restored(JobState state, long number, long lineage, String from) {
    return made(
        "job " + state.job(),
        "checkpoint-restored",
        List.of(
            new Input("checkpoint", Long.toString(number)),
            new Input("lineage before", Long.toString(state.lineage())),
            new Input("taken by", from.isEmpty() ? "this job" : "job " + from)),
        List.of(
            new Rejected(
                "keep leases that are out", "the model goes back, so what they train is lost")),
        "every ledger goes back to the checkpoint; lineage %d begins".formatted(lineage));
  }

  private static Event made(
      String subject, String rule, List<Input> inputs, List<Rejected> rejected, String plan) {
    return new Event.DecisionMade(new Decision(subject, rule, inputs, rejected, plan));
  }
}

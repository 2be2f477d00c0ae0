package dev.pliant.machine;

import dev.pliant.machine.JobState.Dataset;
import dev.pliant.machine.rendezvous.RendezvousState;
import dev.pliant.machine.rendezvous.World;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.DataShardManager.LeaseState;
import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.machine.shards.StepLedger;
import java.util.List;

/// The job as it is now, for those who ask.
final class JobViews {
  private JobViews() {}

  static Answer.Job job(JobState state) {
    return new Answer.Job(
        state.job(),
        state.datasets().stream().map(JobViews::progress).toList(),
        state.newestWorkers().stream()
            .map(w ->
                new Answer.WorkerProgress(
                    w.id.value(), w.live, w.reason, w.shardsOut, w.shardsDone))
            .toList(),
        state.events(),
        state.lineage(),
        List.copyOf(state.checkpoints().keySet()),
        world(state),
        state.training().metrics(),
        state.nodes().image());
  }

  private static Answer.WorldProgress world(JobState state) {
    RendezvousState rendezvous = state.rendezvous();
    World world = rendezvous.world();
    return new Answer.WorldProgress(
        rendezvous.version(),
        world == null
            ? List.of()
            : world.seats().stream().map(seat -> seat.member().worker()).toList(),
        rendezvous.isReforming(),
        world == null ? 0 : world.formedMillis(),
        rendezvous.waitingWorkers(),
        state.training().pausedMillis());
  }

  static Answer.Progress progress(Dataset dataset) {
    return switch (dataset) {
      case Dataset.ByShards(int _, ShardLedger ledger) ->
          new Answer.Progress(
              ledger.spec(),
              ledger.recordsDone(),
              ledger.recordsOut(),
              ledger.recordsWaiting(),
              ledger.epoch(),
              DataShardManager.state(ledger),
              ledger.failure(),
              0,
              0,
              ledger.partitions());
      case Dataset.BySteps(int _, StepLedger ledger) ->
          new Answer.Progress(
              ledger.spec(),
              ledger.recordsDone(),
              0,
              ledger.spec().size() * ledger.spec().epochs() - ledger.recordsDone(),
              ledger.image().epoch(),
              ledger.isComplete() ? LeaseState.END : LeaseState.LEASED,
              null,
              ledger.image().step(),
              ledger.image().world(),
              List.of());
    };
  }
}

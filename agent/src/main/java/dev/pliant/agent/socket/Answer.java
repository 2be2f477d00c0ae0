package dev.pliant.agent.socket;

import dev.pliant.agent.world.Placement;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.DatasetFailure;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.Shard;
import java.util.List;

/// What an agent answers.
public sealed interface Answer {
  /// To `hello`.
  record Welcome(String job, WorkerId worker) implements Answer {}

  /// To `dataset`.
  record Created(boolean created) implements Answer {}

  /// To `next`: a shard.
  record NextShard(Shard shard, List<Refusal> refused) implements Answer {}

  /// To whatever is waited for: not yet, ask again.
  record Wait(List<Refusal> refused) implements Answer {}

  /// To `next`: every record is done.
  record End(List<Refusal> refused) implements Answer {}

  /// To `next`: the dataset has failed.
  record Failed(DatasetFailure failure, List<Refusal> refused) implements Answer {}

  /// To `report`: the agent has them.
  record Taken(List<Refusal> refused) implements Answer {}

  /// To `flush`: the master has them.
  record Flushed(List<Refusal> refused) implements Answer {}

  /// To `commit_step`.
  record Committed(CommitStepResponse response) implements Answer {}

  /// To `progress`.
  record Progressed(DatasetProgress progress) implements Answer {}

  /// To `checkpoint`.
  record Checkpointed(LedgerCheckpoint ledger) implements Answer {}

  /// To `restore`.
  record Restored(long lineage) implements Answer {}

  /// To `world`: one to be in.
  record InWorld(Placement placement) implements Answer {}

  /// To `world`: the process is to go.
  record Released(String why) implements Answer {}

  /// To `world`: the process was given up.
  record Excluded(String why) implements Answer {}

  /// To `world`: there is no further one.
  record Closed(boolean complete, String why) implements Answer {}

  /// To `watch`: the world is to end.
  record Reform(boolean abort, String why) implements Answer {}

  /// To `settle`: the master has every step.
  record Settled(long nextEpoch, long nextStep) implements Answer {}

  /// To `grow`, `stepped`, `activity` and `bye`: no more than that it was done.
  record Fine() implements Answer {}

  /// To anything that is wrong.
  record Wrong(ErrorCode code, String message) implements Answer {}

  /// A report that the master no longer takes.
  record Refusal(long number, String message) {}
}

package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Answer;
import dev.pliant.agent.socket.Request;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DataServiceGrpc.DataServiceBlockingStub;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.GrowStreamRequest;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterConnection;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// The requests of a process that are one call to the master each. They outlast its absence, up to
/// a bound; each may be repeated without harm.
final class MasterOperations {
  private final MasterCalls calls;
  private final Duration bound;
  private final RandomGenerator requestIds = new SplittableRandom();

  /// @param bound how long to go on trying while the master is away
  MasterOperations(MasterCalls calls, Duration bound) {
    this.calls = calls;
    this.bound = bound;
  }

  Duration bound() {
    return bound;
  }

  Answer create(Request.CreateDataset request) throws InterruptedException {
    CreateDatasetRequest message =
        CreateDatasetRequest.newBuilder().setSpec(DatasetMessages.spec(request.spec())).build();
    return new Answer.Created(call("dataset", data -> data.createDataset(message)).getCreated());
  }

  Answer grow(Request.Grow request) throws InterruptedException {
    GrowStreamRequest.Builder message =
        GrowStreamRequest.newBuilder()
            .setDataset(request.dataset().value())
            .setClosed(request.closed());
    for (Partition partition : request.partitions()) {
      message.addPartitions(DatasetMessages.partition(partition));
    }
    call("grow", data -> data.growStream(message.build()));
    return new Answer.Fine();
  }

  Answer commit(Request.CommitStep request) throws InterruptedException {
    CommitStepRequest message =
        CommitStepRequest.newBuilder()
            .setDataset(request.dataset().value())
            .setEpoch(request.epoch())
            .setStep(request.step())
            .setWorld(request.world())
            .build();
    return new Answer.Committed(call("commit_step", data -> data.commitStep(message)));
  }

  Answer progress(Request.Progress request) throws InterruptedException {
    GetDatasetRequest message =
        GetDatasetRequest.newBuilder().setDataset(request.dataset().value()).build();
    return new Answer.Progressed(call("progress", data -> data.getDataset(message)).getProgress());
  }

  /// How far a dataset that is consumed by steps is.
  Answer position(DatasetName dataset) throws InterruptedException {
    GetDatasetRequest message = GetDatasetRequest.newBuilder().setDataset(dataset.value()).build();
    DatasetProgress progress = call("settle", data -> data.getDataset(message)).getProgress();
    return new Answer.Settled(progress.getEpoch(), progress.getNextStep());
  }

  Answer checkpoint() throws InterruptedException {
    TakeCheckpointRequest message = TakeCheckpointRequest.getDefaultInstance();
    return new Answer.Checkpointed(
        call("checkpoint", data -> data.takeCheckpoint(message)).getCheckpoint());
  }

  Answer restore(long number) throws InterruptedException {
    return restore(RestoreCheckpointRequest.newBuilder().setNumber(number));
  }

  Answer restore(LedgerCheckpoint ledger, boolean takeOver) throws InterruptedException {
    return restore(
        RestoreCheckpointRequest.newBuilder().setCheckpoint(ledger).setTakeOver(takeOver));
  }

  /// A call whose answer is lost is made again, as the same request.
  private Answer restore(RestoreCheckpointRequest.Builder which) throws InterruptedException {
    RestoreCheckpointRequest message = which.setRequestId(requestIds.nextLong()).build();
    return new Answer.Restored(
        call("restore", data -> data.restoreCheckpoint(message)).getLineage());
  }

  private <A> A call(String what, Function<DataServiceBlockingStub, A> call)
      throws InterruptedException {
    return calls.call(
        what, bound, (MasterConnection master) -> call.apply(master.data(MasterCalls.TRY)));
  }
}

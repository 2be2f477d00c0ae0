package dev.pliant.master.service;

import dev.pliant.master.machine.Answer;
import dev.pliant.master.machine.Command;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.EndWorkerResponse;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.HeartbeatResponse;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.protocol.v1.PingResponse;
import dev.pliant.protocol.v1.WorkerStatus;
import io.grpc.stub.StreamObserver;

/// `pliant.v1.JobService`.
public final class JobGrpc extends JobServiceGrpc.JobServiceImplBase {
  private static final int MAX_BEATS = 1_024;

  private final Calls calls;
  private final Liveness liveness;
  private final PingResponse pong;

  public JobGrpc(JobOwner owner, NetworkThreads network, Liveness liveness) {
    this.calls = new Calls(owner, network);
    this.liveness = liveness;
    this.pong = PingResponse.newBuilder().setMasterEpoch(owner.epoch()).build();
  }

  @Override
  public void ping(PingRequest request, StreamObserver<PingResponse> caller) {
    caller.onNext(pong);
    caller.onCompleted();
  }

  @Override
  public void getJob(GetJobRequest request, StreamObserver<GetJobResponse> caller) {
    calls.answer(caller, Command.GetJob::new, Answer.Job.class, this::job);
  }

  private GetJobResponse job(Answer.Job job) {
    GetJobResponse.Builder response =
        GetJobResponse.newBuilder()
            .setJob(job.job().toString())
            .setMasterEpoch(calls.epoch())
            .setJournalEvents(job.events())
            .setLineage(job.lineage())
            .addAllCheckpoints(job.checkpoints())
            .setWorld(MeetCodec.world(job.world()))
            .putAllMetrics(job.metrics())
            .setJournalTrouble(calls.owner().trouble());
    job.datasets().forEach(progress -> response.addDatasets(WireCodec.progress(progress)));
    for (Answer.WorkerProgress worker : job.workers()) {
      response.addWorkers(
          WorkerStatus.newBuilder()
              .setName(worker.name())
              .setLive(worker.live())
              .setReason(WireCodec.reason(worker.reason()))
              .setShardsOut(worker.shardsOut())
              .setShardsDone(worker.shardsDone()));
    }
    return response.build();
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> caller) {
    try {
      WireCodec.checkCount("workers", request.getWorkersCount(), MAX_BEATS);
      HeartbeatResponse.Builder response =
          HeartbeatResponse.newBuilder()
              .setTimeoutMs(Math.toIntExact(liveness.timeout().toMillis()))
              .setMasterEpoch(calls.epoch());
      for (String name : request.getWorkersList()) {
        if (!liveness.beat(new WorkerId(name))) {
          response.addLost(name);
        }
      }
      caller.onNext(response.build());
      caller.onCompleted();
    } catch (PliantException bad) {
      caller.onError(Faults.toGrpc(bad));
    }
  }

  @Override
  public void endWorker(EndWorkerRequest request, StreamObserver<EndWorkerResponse> caller) {
    calls.answer(
        caller,
        () ->
            new Command.EndWorker(
                new WorkerId(request.getWorker()),
                WireCodec.reason(request.getReason()),
                WireCodec.text("message", request.getMessage())),
        Answer.WorkerEnded.class,
        answer -> {
          liveness.ended(new WorkerId(request.getWorker()));
          return EndWorkerResponse.newBuilder()
              .setRequeued(answer.requeued())
              .setMasterEpoch(calls.epoch())
              .build();
        });
  }
}

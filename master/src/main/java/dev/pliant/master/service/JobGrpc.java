package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.stats.StatsCollector;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.Decision;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.EndWorkerResponse;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.HeartbeatResponse;
import dev.pliant.protocol.v1.JobEvent;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.ListDecisionsRequest;
import dev.pliant.protocol.v1.ListDecisionsResponse;
import dev.pliant.protocol.v1.ListEventsRequest;
import dev.pliant.protocol.v1.ListEventsResponse;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.protocol.v1.PingResponse;
import dev.pliant.protocol.v1.ScaleJobRequest;
import dev.pliant.protocol.v1.ScaleJobResponse;
import dev.pliant.protocol.v1.StopJobRequest;
import dev.pliant.protocol.v1.StopJobResponse;
import dev.pliant.protocol.v1.WorkerStatus;
import dev.pliant.rpc.Faults;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/// `pliant.v1.JobService`.
public final class JobGrpc extends JobServiceGrpc.JobServiceImplBase {
  private static final int MAX_BEATS = 1_024;

  /// How many may wait for a page of history at once.
  private static final int MAX_READERS = 16;

  private final Calls calls;
  private final Liveness liveness;
  private final NodeLiveness nodes;
  private final StatsCollector stats;
  private final InstantSource clock;
  private final PingResponse pong;
  private final JobHistory history;
  private final Semaphore readers = new Semaphore(MAX_READERS);

  public JobGrpc(
      JobOwner owner,
      NetworkThreads network,
      Liveness liveness,
      NodeLiveness nodes,
      StatsCollector stats,
      Supplier<JournalStore> journal,
      InstantSource clock) {
    this.history = new JobHistory(journal);
    this.calls = new Calls(owner, network);
    this.liveness = liveness;
    this.nodes = nodes;
    this.stats = stats;
    this.clock = clock;
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
    NodeMessages.describe(job.nodes(), stats, response);
    StatsCollector.Speed speed = stats.speed();
    response.setRecordsPerSecond(speed.records()).setStepsPerSecond(speed.steps());
    return response.build();
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> caller) {
    try {
      WireCodec.checkCount("workers", request.getWorkersCount(), MAX_BEATS);
      HeartbeatResponse.Builder response =
          HeartbeatResponse.newBuilder()
              .setTimeoutMs(Math.toIntExact(liveness.timeoutMillis()))
              .setMasterEpoch(calls.epoch());
      for (String name : request.getWorkersList()) {
        if (!liveness.beat(new WorkerId(name))) {
          response.addLost(name);
        }
      }
      if (!request.getNode().isEmpty()) {
        NodeId node = NodeId.parse(request.getNode());
        response.setNodeGone(nodes.gone(node));
        nodes.beat(node);
        if (request.hasUsage() && !nodes.gone(node)) {
          NodeMessages.collect(node, request.getUsage(), stats, clock.millis());
        }
      }
      caller.onNext(response.build());
      caller.onCompleted();
    } catch (PliantException bad) {
      caller.onError(Faults.toGrpc(bad));
    }
  }

  @Override
  public void scaleJob(ScaleJobRequest request, StreamObserver<ScaleJobResponse> caller) {
    calls.answer(
        caller,
        () ->
            new Command.ScaleJob(
                NodeMessages.count("workers", request.getWorkers()),
                WireCodec.text("who", request.getWho())),
        Answer.Scaled.class,
        scaled ->
            ScaleJobResponse.newBuilder()
                .setCounts(NodeMessages.counts(scaled.wish(), scaled.min(), scaled.max()))
                .setMessage(scaled.message())
                .setMasterEpoch(calls.epoch())
                .build());
  }

  @Override
  public void stopJob(StopJobRequest request, StreamObserver<StopJobResponse> caller) {
    calls.answer(
        caller,
        () -> new Command.StopJob(WireCodec.text("who", request.getWho())),
        Answer.Done.class,
        _ -> StopJobResponse.newBuilder().setMasterEpoch(calls.epoch()).build());
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

  @Override
  public void listDecisions(
      ListDecisionsRequest request, StreamObserver<ListDecisionsResponse> caller) {
    read(
        caller,
        () -> {
          JobHistory.Page<Decision> page =
              history.decisions(
                  JobHistory.Query.of(
                      request.getFilter(),
                      request.getPageSize(),
                      request.getPageToken(),
                      request.getNewest()));
          return ListDecisionsResponse.newBuilder()
              .addAllDecisions(page.found())
              .setNextPageToken(Long.toString(page.next()))
              .setMore(page.more())
              .setMasterEpoch(calls.epoch())
              .build();
        });
  }

  @Override
  public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> caller) {
    read(
        caller,
        () -> {
          JobHistory.Page<JobEvent> page =
              history.events(
                  JobHistory.Query.of(
                      request.getFilter(),
                      request.getPageSize(),
                      request.getPageToken(),
                      request.getNewest()));
          return ListEventsResponse.newBuilder()
              .addAllEvents(page.found())
              .setNextPageToken(Long.toString(page.next()))
              .setMore(page.more())
              .setMasterEpoch(calls.epoch())
              .build();
        });
  }

  /// Answers from the disk: on a thread of its own, for threads of the network must not block.
  private <M> void read(StreamObserver<M> caller, Supplier<M> answer) {
    if (!readers.tryAcquire()) {
      caller.onError(
          Faults.toGrpc(
              new PliantException(
                  ErrorCode.OVERLOADED,
                  "%d calls read the job's history already; try again.".formatted(MAX_READERS))));
      return;
    }
    Thread.startVirtualThread(() -> {
      try {
        M message = answer.get();
        caller.onNext(message);
        caller.onCompleted();
      } catch (PliantException e) {
        caller.onError(Faults.toGrpc(e));
      } catch (RuntimeException e) {
        caller.onError(Faults.toGrpc(Calls.defect(e)));
      } finally {
        readers.release();
      }
    });
  }
}

package dev.pliant.master.service;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.master.journal.CheckpointCodec;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.CreateDatasetResponse;
import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.GetDatasetResponse;
import dev.pliant.protocol.v1.GrowStreamRequest;
import dev.pliant.protocol.v1.GrowStreamResponse;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseShardsResponse;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.RestoreCheckpointResponse;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import dev.pliant.protocol.v1.TakeCheckpointResponse;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// `pliant.v1.DataService`.
public final class DataGrpc extends DataServiceGrpc.DataServiceImplBase {
  /// How long a worker waits before it asks again, where there is nothing now.
  static final int WAIT_MILLIS = 200;

  private final JobId job;
  private final Calls calls;
  private final Liveness liveness;
  private final WorkStreams streams = new WorkStreams();

  public DataGrpc(JobId job, JobOwner owner, NetworkThreads network, Liveness liveness) {
    this.job = job;
    this.calls = new Calls(owner, network);
    this.liveness = liveness;
  }

  @Override
  public void createDataset(
      CreateDatasetRequest request, StreamObserver<CreateDatasetResponse> caller) {
    calls.answer(
        caller,
        () -> new Command.CreateDataset(WireCodec.spec(request.getSpec())),
        Answer.Created.class,
        answer ->
            CreateDatasetResponse.newBuilder()
                .setCreated(answer.created())
                .setMasterEpoch(calls.epoch())
                .build());
  }

  @Override
  public void getDataset(GetDatasetRequest request, StreamObserver<GetDatasetResponse> caller) {
    calls.answer(
        caller,
        () -> new Command.GetDataset(new DatasetName(request.getDataset())),
        Answer.Progress.class,
        answer ->
            GetDatasetResponse.newBuilder()
                .setProgress(WireCodec.progress(answer))
                .setMasterEpoch(calls.epoch())
                .build());
  }

  @Override
  public void leaseShards(LeaseShardsRequest request, StreamObserver<LeaseShardsResponse> caller) {
    calls.answer(
        caller,
        () -> {
          WorkerId worker = new WorkerId(request.getWorker());
          liveness.heardOf(worker);
          if (request.getCount() == 0) {
            throw WireCodec.bad("count is 0; ask for at least 1 shard.");
          }
          return new Command.Lease(
              worker,
              new DatasetName(request.getDataset()),
              WireCodec.want("count", request.getCount()),
              request.getRequestId());
        },
        Answer.Leased.class,
        this::leased);
  }

  private LeaseShardsResponse leased(Answer.Leased answer) {
    LeaseShardsResponse.Builder response =
        LeaseShardsResponse.newBuilder()
            .setState(WireCodec.state(answer.state()))
            .setMasterEpoch(calls.epoch());
    for (Answer.LeasedShard shard : answer.shards()) {
      response.addShards(WireCodec.shard(answer, shard));
    }
    switch (answer.state()) {
      case WAIT -> response.setRetryAfterMs(WAIT_MILLIS);
      case FAILED -> {
        if (answer.failure() != null) {
          response.setFailure(WireCodec.failure(answer.failure()));
        }
      }
      case LEASED, END -> {}
    }
    return response.build();
  }

  @Override
  public void reportShards(
      ReportShardsRequest request, StreamObserver<ReportShardsResponse> caller) {
    calls.answer(
        caller,
        () -> {
          WorkerId worker = new WorkerId(request.getWorker());
          liveness.heardOf(worker);
          return new Command.Report(
              worker,
              new DatasetName(request.getDataset()),
              WireCodec.reports(request.getReportsList()));
        },
        Answer.Reported.class,
        answer -> {
          ReportShardsResponse.Builder response =
              ReportShardsResponse.newBuilder().setMasterEpoch(calls.epoch());
          for (int i = 0; i < request.getReportsCount(); i++) {
            response.addOutcomesValue(
                answer.outcomes() == null
                    ? 0
                    : WireCodec.outcome(answer.outcomes()[i]).getNumber());
          }
          return response.addAllRefusals(answer.refusals()).build();
        });
  }

  @Override
  public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> worker) {
    return new WorkStream(
        calls.owner(),
        calls.network().current(),
        liveness,
        streams,
        (ServerCallStreamObserver<WorkResponse>) worker);
  }

  @Override
  public void growStream(GrowStreamRequest request, StreamObserver<GrowStreamResponse> caller) {
    calls.answer(
        caller,
        () ->
            new Command.GrowStream(
                new DatasetName(request.getDataset()),
                WireCodec.partitions(request.getPartitionsList()),
                request.getClosed()),
        Answer.Done.class,
        _ -> GrowStreamResponse.newBuilder().setMasterEpoch(calls.epoch()).build());
  }

  @Override
  public void commitStep(CommitStepRequest request, StreamObserver<CommitStepResponse> caller) {
    calls.answer(
        caller,
        () ->
            new Command.CommitStep(
                new DatasetName(request.getDataset()),
                request.getEpoch(),
                request.getStep(),
                request.getWorld(),
                request.getThrough(),
                new TreeMap<>(request.getMetricsMap())),
        Answer.Committed.class,
        answer ->
            CommitStepResponse.newBuilder()
                .setOutcome(WireCodec.outcome(answer.verdict()))
                .setNextEpoch(answer.nextEpoch())
                .setNextStep(answer.nextStep())
                .setMasterEpoch(calls.epoch())
                .build());
  }

  @Override
  public void takeCheckpoint(
      TakeCheckpointRequest request, StreamObserver<TakeCheckpointResponse> caller) {
    calls.answer(
        caller,
        Command.TakeCheckpoint::new,
        Answer.CheckpointTaken.class,
        answer -> {
          ByteString ledgers = CheckpointCodec.encode(answer.number(), answer.ledgers());
          return TakeCheckpointResponse.newBuilder()
              .setCheckpoint(
                  LedgerCheckpoint.newBuilder()
                      .setJob(job.toString())
                      .setNumber(answer.number())
                      .setUid(answer.uid())
                      .setRun(answer.run())
                      .setLineage(answer.lineage())
                      .setLedgers(ledgers)
                      .setCrc32C(crc32c(ledgers)))
              .setMasterEpoch(calls.epoch())
              .build();
        });
  }

  @Override
  public void restoreCheckpoint(
      RestoreCheckpointRequest request, StreamObserver<RestoreCheckpointResponse> caller) {
    calls.answer(
        caller,
        () ->
            switch (request.getWhichCase()) {
              case NUMBER -> new Command.RestoreKept(request.getNumber(), request.getRequestId());
              case CHECKPOINT -> given(request);
              case WHICH_NOT_SET ->
                  throw WireCodec.bad("name the checkpoint by its number, or send it.");
            },
        Answer.CheckpointRestored.class,
        answer ->
            RestoreCheckpointResponse.newBuilder()
                .setLineage(answer.lineage())
                .setMasterEpoch(calls.epoch())
                .build());
  }

  private Command given(RestoreCheckpointRequest request) {
    LedgerCheckpoint checkpoint = request.getCheckpoint();
    if (!request.getTakeOver() && !checkpoint.getJob().equals(job.toString())) {
      throw new PliantException(
          ErrorCode.FOREIGN_CHECKPOINT,
          "the checkpoint is of job '%s'; this master serves job %s."
              .formatted(WireCodec.text("checkpoint's job", checkpoint.getJob()), job));
    }
    if (crc32c(checkpoint.getLedgers()) != checkpoint.getCrc32C()) {
      throw damaged(checkpoint, "its checksum does not match");
    }
    try {
      return new Command.RestoreGiven(
          checkpoint.getNumber(),
          CheckpointCodec.decode(checkpoint.getLedgers()),
          request.getRequestId(),
          WireCodec.text("checkpoint's uid", checkpoint.getUid()),
          request.getTakeOver());
    } catch (InvalidProtocolBufferException | RuntimeException e) {
      // Whatever its bytes are, they are no ledgers.
      throw damaged(checkpoint, String.valueOf(e.getMessage()));
    }
  }

  private static PliantException damaged(LedgerCheckpoint checkpoint, String how) {
    return new PliantException(
        ErrorCode.DAMAGED_CHECKPOINT,
        "checkpoint %d is damaged (%s); use the one before it."
            .formatted(checkpoint.getNumber(), how));
  }

  private static int crc32c(ByteString bytes) {
    CRC32C crc = new CRC32C();
    bytes.asReadOnlyByteBufferList().forEach(crc::update);
    return (int) crc.getValue();
  }
}

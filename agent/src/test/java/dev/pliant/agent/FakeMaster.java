package dev.pliant.agent;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import dev.pliant.model.ErrorCode;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.CreateDatasetResponse;
import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.EndWorkerResponse;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.GetDatasetResponse;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.HeartbeatResponse;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.protocol.v1.PingResponse;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.RestoreCheckpointResponse;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import dev.pliant.protocol.v1.TakeCheckpointResponse;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A master on loopback, over real gRPC: its ledger outlives its restarts, each of which has
/// another port and a higher epoch, and it leaves what an agent reads in the job's folder.
public final class FakeMaster implements AutoCloseable {
  public static final String TOKEN = "the-token-of-this-job";

  private final Path folder;
  private final @Nullable SslContext tls;
  private final FakeLedger ledger = new FakeLedger();
  private final FakeMeeting meeting = new FakeMeeting();
  private final FakeSteps steps = new FakeSteps();
  private final AtomicInteger answersToLose = new AtomicInteger();
  private final AtomicInteger callsToTurnAway = new AtomicInteger();
  private long epoch;
  private @Nullable Server server;
  private volatile boolean nodeGone;
  private volatile @Nullable HeartbeatRequest nodesBeat;

  public FakeMaster(Path folder, @Nullable SslContext tls) throws IOException {
    this.folder = folder;
    this.tls = tls;
    Files.writeString(folder.resolve("token"), TOKEN + "\n");
  }

  FakeLedger ledger() {
    return ledger;
  }

  FakeMeeting meeting() {
    return meeting;
  }

  FakeSteps steps() {
    return steps;
  }

  /// The next sign of life of the node is answered that it is given up.
  void giveNodeUp() {
    nodeGone = true;
  }

  /// The newest sign of life that named its node.
  @Nullable HeartbeatRequest nodesBeat() {
    return nodesBeat;
  }

  public long epoch() {
    return epoch;
  }

  /// Starts, or starts again, and writes down where.
  public FakeMaster start() {
    return start(epoch + 1);
  }

  /// Starts with an epoch of choice, for instance one that is over.
  public FakeMaster start(long as) {
    epoch = as;
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .directExecutor()
            .permitKeepAliveTime(5, TimeUnit.SECONDS)
            .intercept(new TokenCheck())
            .addService(new Data(as))
            .addService(new Jobs(as))
            .addService(meeting.service(as));
    if (tls != null) {
      builder.sslContext(tls);
    }
    try {
      server = builder.build().start();
      String json =
          "{\"job\":\"default/test\",\"address\":\"127.0.0.1:%d\",\"epoch\":%d,\"tls\":%b,\"pid\":1}"
              .formatted(server.getPort(), as, tls != null);
      Path written = Files.writeString(folder.resolve("master.json.new"), json);
      Files.move(written, folder.resolve("master.json"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /// Dies: calls under way break, as when the process is killed.
  public void stop() throws InterruptedException {
    if (server != null) {
      server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      server = null;
    }
  }

  public synchronized void restart() throws InterruptedException {
    stop();
    start();
  }

  /// The next answers on streams are decided and remembered, but never arrive.
  void loseAnswers(int count) {
    answersToLose.set(count);
  }

  /// The next calls are answered that the master has too much to do.
  void turnAway(int count) {
    callsToTurnAway.set(count);
  }

  int left() {
    return answersToLose.get() + callsToTurnAway.get();
  }

  @Override
  public void close() throws InterruptedException {
    stop();
  }

  static StatusRuntimeException error(Code status, ErrorCode code, String message) {
    return StatusProto.toStatusRuntimeException(
        Status.newBuilder()
            .setCode(status.getNumber())
            .setMessage(message)
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder().setDomain("pliant.dev").setReason(code.name()).build()))
            .build());
  }

  private static boolean takeOne(AtomicInteger left) {
    return left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
  }

  private final class TokenCheck implements ServerInterceptor {
    private static final Metadata.Key<String> KEY =
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      StatusRuntimeException trouble = null;
      if (!("Bearer " + TOKEN).equals(headers.get(KEY))) {
        trouble = error(Code.UNAUTHENTICATED, ErrorCode.NO_TOKEN, "the token is not right.");
      } else if (takeOne(callsToTurnAway)) {
        trouble = error(Code.RESOURCE_EXHAUSTED, ErrorCode.OVERLOADED, "too much to do.");
      }
      if (trouble == null) {
        return next.startCall(call, headers);
      }
      Metadata trailers = trouble.getTrailers();
      call.close(trouble.getStatus(), trailers == null ? new Metadata() : trailers);
      return new ServerCall.Listener<>() {};
    }
  }

  private final class Data extends DataServiceGrpc.DataServiceImplBase {
    private final long epoch;

    Data(long epoch) {
      this.epoch = epoch;
    }

    @Override
    public void createDataset(
        CreateDatasetRequest request, StreamObserver<CreateDatasetResponse> answer) {
      answer.onNext(
          CreateDatasetResponse.newBuilder()
              .setCreated(ledger.create(request.getSpec()))
              .setMasterEpoch(epoch)
              .build());
      answer.onCompleted();
    }

    @Override
    public void commitStep(CommitStepRequest request, StreamObserver<CommitStepResponse> answer) {
      answer.onNext(steps.commit(request).setMasterEpoch(epoch).build());
      answer.onCompleted();
    }

    @Override
    public void getDataset(GetDatasetRequest request, StreamObserver<GetDatasetResponse> answer) {
      if (steps.knows(request.getDataset())) {
        answer.onNext(
            GetDatasetResponse.newBuilder()
                .setProgress(steps.progress(request.getDataset()))
                .setMasterEpoch(epoch)
                .build());
        answer.onCompleted();
        return;
      }
      if (!ledger.knows(request.getDataset())) {
        answer.onError(unknown(request.getDataset()));
        return;
      }
      answer.onNext(
          GetDatasetResponse.newBuilder()
              .setProgress(
                  DatasetProgress.newBuilder()
                      .setRecordsDone(ledger.done(request.getDataset()).size()))
              .setMasterEpoch(epoch)
              .build());
      answer.onCompleted();
    }

    @Override
    public void takeCheckpoint(
        TakeCheckpointRequest request, StreamObserver<TakeCheckpointResponse> answer) {
      answer.onNext(
          TakeCheckpointResponse.newBuilder()
              .setCheckpoint(
                  LedgerCheckpoint.newBuilder()
                      .setJob("default/test")
                      .setNumber(ledger.done("train").size())
                      .setLedgers(ByteString.copyFromUtf8("bytes that only a master reads"))
                      .setCrc32C(0xCAFEBABE))
              .setMasterEpoch(epoch)
              .build());
      answer.onCompleted();
    }

    @Override
    public void restoreCheckpoint(
        RestoreCheckpointRequest request, StreamObserver<RestoreCheckpointResponse> answer) {
      answer.onNext(
          RestoreCheckpointResponse.newBuilder()
              .setLineage(ledger.restore())
              .setMasterEpoch(epoch)
              .build());
      answer.onCompleted();
    }

    @Override
    public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> answers) {
      return new Stream(epoch, answers);
    }
  }

  private static StatusRuntimeException unknown(String dataset) {
    return error(
        Code.NOT_FOUND, ErrorCode.UNKNOWN_DATASET, "there is no dataset '" + dataset + "'.");
  }

  private final class Stream implements StreamObserver<WorkRequest> {
    private final long epoch;
    private final StreamObserver<WorkResponse> answers;
    private String worker = "";
    private String dataset = "";
    private boolean broken;

    Stream(long epoch, StreamObserver<WorkResponse> answers) {
      this.epoch = epoch;
      this.answers = answers;
    }

    @Override
    public void onNext(WorkRequest request) {
      if (broken) {
        return;
      }
      if (request.hasOpen()) {
        worker = request.getOpen().getWorker();
        dataset = request.getOpen().getDataset();
      }
      if (!ledger.knows(dataset)) {
        fail(unknown(dataset));
        return;
      }
      WorkResponse.Builder answer = ledger.work(worker, dataset, request);
      if (takeOne(answersToLose)) {
        fail(io.grpc.Status.UNAVAILABLE.withDescription("cut").asRuntimeException());
      } else {
        answers.onNext(answer.setMasterEpoch(epoch).build());
      }
    }

    private void fail(StatusRuntimeException why) {
      broken = true;
      answers.onError(why);
    }

    @Override
    public void onError(Throwable why) {}

    @Override
    public void onCompleted() {
      if (!broken) {
        answers.onCompleted();
      }
    }
  }

  private final class Jobs extends JobServiceGrpc.JobServiceImplBase {
    private final long epoch;

    Jobs(long epoch) {
      this.epoch = epoch;
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingResponse> answer) {
      answer.onNext(PingResponse.newBuilder().setMasterEpoch(epoch).build());
      answer.onCompleted();
    }

    @Override
    public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> answer) {
      if (!request.getNode().isEmpty()) {
        nodesBeat = request;
      }
      answer.onNext(
          HeartbeatResponse.newBuilder()
              .setNodeGone(nodeGone)
              .addAllLost(ledger.heard(request.getWorkersList()))
              .setTimeoutMs(30_000)
              .setMasterEpoch(epoch)
              .build());
      answer.onCompleted();
    }

    @Override
    public void endWorker(EndWorkerRequest request, StreamObserver<EndWorkerResponse> answer) {
      answer.onNext(
          EndWorkerResponse.newBuilder()
              .setRequeued(ledger.end(request))
              .setMasterEpoch(epoch)
              .build());
      answer.onCompleted();
    }
  }
}

package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.rpc.ErrorInfo;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GrowStreamRequest;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseShardsResponse;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.Partition;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.Shuffle;
import dev.pliant.protocol.v1.StepConsumption;
import dev.pliant.protocol.v1.StreamSource;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import dev.pliant.protocol.v1.TextSource;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// The wire, by a real client over TLS.
class MasterIT {
  private static final JobId JOB = new JobId("default", "wire");

  @TempDir Path folder;
  private RunningMaster running;

  @BeforeEach
  void start() throws IOException {
    running = RunningMaster.start(JOB, folder.resolve("job"));
  }

  @AfterEach
  void stop() {
    running.close();
  }

  private void restart() throws IOException {
    running.close();
    running = RunningMaster.start(JOB, folder.resolve("job"));
  }

  private LeaseShardsResponse lease(String worker, String dataset, int count) throws IOException {
    return running
        .data()
        .leaseShards(
            LeaseShardsRequest.newBuilder()
                .setWorker(worker)
                .setDataset(dataset)
                .setCount(count)
                .build());
  }

  private ReportShardsResponse report(String worker, String dataset, ShardFate fate, Shard shard)
      throws IOException {
    return running
        .data()
        .reportShards(
            ReportShardsRequest.newBuilder()
                .setWorker(worker)
                .setDataset(dataset)
                .addReports(
                    ShardReport.newBuilder()
                        .setNumber(shard.getNumber())
                        .setLease(shard.getLease())
                        .setFate(fate)
                        .setCause(fate == ShardFate.SHARD_FATE_FAILED ? "bad row" : ""))
                .build());
  }

  private static void assertFault(
      Status.Code status, ErrorCode code, String said, Executable call) {
    assertThatThrownBy(call::execute)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(status);
              assertThat(e.getStatus().getDescription()).contains(said);
              assertThat(reason(e)).isEqualTo(code.name());
            });
  }

  private static String reason(StatusRuntimeException e) {
    try {
      for (var detail : StatusProto.fromThrowable(e).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          return detail.unpack(ErrorInfo.class).getReason();
        }
      }
    } catch (com.google.protobuf.InvalidProtocolBufferException bad) {
      throw new AssertionError(bad);
    }
    return "";
  }

  // Safe.

  @Test
  void letsNobodyInWithoutTheJobsToken() throws IOException {
    var bare = dev.pliant.protocol.v1.JobServiceGrpc.newBlockingStub(running.channel);
    assertFault(
        Status.Code.UNAUTHENTICATED,
        ErrorCode.NO_TOKEN,
        "carries no token",
        () -> bare.ping(PingRequest.getDefaultInstance()));
    String token = running.token();
    String wrong = token.substring(0, token.length() - 2) + "xx";
    assertFault(
        Status.Code.UNAUTHENTICATED,
        ErrorCode.NO_TOKEN,
        "is not job default/wire's",
        () -> with(wrong).ping(PingRequest.getDefaultInstance()));
    try (RunningMaster other = RunningMaster.start(JobId.parse("other"), folder.resolve("other"))) {
      assertFault(
          Status.Code.PERMISSION_DENIED,
          ErrorCode.FOREIGN_TOKEN,
          "job default/other's",
          () -> with(other.token()).ping(PingRequest.getDefaultInstance()));
    }
    assertThatThrownBy(() ->
            HealthGrpc.newBlockingStub(running.channel)
                .check(HealthCheckRequest.getDefaultInstance()))
        .hasMessageContaining("UNAUTHENTICATED");
  }

  private dev.pliant.protocol.v1.JobServiceGrpc.JobServiceBlockingStub with(String token) {
    return dev.pliant.protocol.v1.JobServiceGrpc.newBlockingStub(running.channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(RunningMaster.bearer(token)))
        .withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  @Test
  void keepsItsSecretsToItsOwner() throws IOException {
    for (String secret : List.of("token", "server.key", "journal", ".")) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(running.folder.resolve(secret))))
          .as(secret)
          .endsWith("------");
    }
  }

  @Test
  void refusesToServeWithoutTlsBeyondLoopback() {
    assertThatThrownBy(() ->
            MasterConfig.builder(JOB, folder)
                .listen(new InetSocketAddress("0.0.0.0", 0))
                .insecureLoopback(true)
                .build())
        .hasMessageContaining("loopback");
  }

  @Test
  void tellsOfItsHealthAndItsServices() throws IOException {
    var health =
        HealthGrpc.newBlockingStub(running.channel)
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(RunningMaster.bearer(running.token())));
    assertThat(health.check(HealthCheckRequest.getDefaultInstance()).getStatusValue()).isEqualTo(1);
    assertThat(listServices())
        .contains("pliant.v1.DataService", "pliant.v1.JobService", "grpc.health.v1.Health");
  }

  private List<String> listServices() throws IOException {
    CompletableFuture<List<String>> names = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> master =
        ServerReflectionGrpc.newStub(running.channel)
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(RunningMaster.bearer(running.token())))
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    names.complete(
                        response.getListServicesResponse().getServiceList().stream()
                            .map(ServiceResponse::getName)
                            .toList());
                  }

                  @Override
                  public void onError(Throwable error) {
                    names.completeExceptionally(error);
                  }

                  @Override
                  public void onCompleted() {}
                });
    master.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    master.onCompleted();
    return names.orTimeout(20, TimeUnit.SECONDS).join();
  }

  // Shards.

  @Test
  void handsOutEveryRecordOnceAndEndsOnlyThen() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 4, 1));
    LeaseShardsResponse first = lease("a", "train", 2);
    LeaseShardsResponse second = lease("b", "train", 8);
    assertThat(first.getShardsList()).extracting(Shard::getStart).containsExactly(0L, 4L);
    assertThat(second.getShardsList()).extracting(Shard::getEnd).containsExactly(10L);
    assertThat(lease("b", "train", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_WAIT);
    for (Shard shard : first.getShardsList()) {
      report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    }
    assertThat(lease("b", "train", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_WAIT);
    report("b", "train", ShardFate.SHARD_FATE_UNSPECIFIED, second.getShards(0));
    assertThat(lease("b", "train", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_END);
  }

  @Test
  void takesARepeatedReportAsSaidAlsoAcrossARestart() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    Shard shard = lease("a", "train", 1).getShards(0);
    assertThat(report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shard).getOutcomesValue(0))
        .isZero();
    long before = running.master.epoch();
    restart();
    ReportShardsResponse again = report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    assertThat(again.getOutcomes(0)).isEqualTo(ReportOutcome.REPORT_OUTCOME_REPEATED);
    assertThat(again.getMasterEpoch()).isGreaterThan(before);
  }

  @Test
  void givesTheSameShardsForARepeatedRequestAlsoAcrossARestart() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 100, 5, 1));
    LeaseShardsRequest request =
        LeaseShardsRequest.newBuilder()
            .setWorker("a")
            .setDataset("train")
            .setCount(3)
            .setRequestId(77)
            .build();
    List<Shard> first = running.data().leaseShards(request).getShardsList();
    assertThat(running.data().leaseShards(request).getShardsList()).isEqualTo(first);
    restart();
    assertThat(running.data().leaseShards(request).getShardsList()).isEqualTo(first);
    LeaseShardsRequest next = request.toBuilder().setRequestId(78).build();
    assertThat(running.data().leaseShards(next).getShards(0).getNumber()).isEqualTo(3);
  }

  @Test
  void refusesAReportFromWhoeverNoLongerHoldsTheLease() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    Shard lost = lease("a", "train", 1).getShards(0);
    running
        .job()
        .endWorker(
            EndWorkerRequest.newBuilder()
                .setWorker("a")
                .setReason(ExitReason.EXIT_REASON_KILLED)
                .build());
    Shard again = lease("b", "train", 1).getShards(0);
    assertThat(again.getNumber()).as("back to the front").isEqualTo(lost.getNumber());
    assertThat(again.getLease()).isNotEqualTo(lost.getLease());
    ReportShardsResponse late = report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, lost);
    assertThat(late.getOutcomes(0)).isEqualTo(ReportOutcome.REPORT_OUTCOME_REFUSED);
    assertThat(late.getRefusals(0)).contains("another worker has it now");
    assertThat(report("b", "train", ShardFate.SHARD_FATE_UNSPECIFIED, again).getOutcomesValue(0))
        .isZero();
  }

  @Test
  void failsTheDatasetWithShardWorkerAndCauseAtTheLastRetry() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    for (int i = 0; i < 5; i++) {
      // Preemptions use up nothing, however many.
      lease("p" + i, "train", 1);
      running
          .job()
          .endWorker(
              EndWorkerRequest.newBuilder()
                  .setWorker("p" + i)
                  .setReason(ExitReason.EXIT_REASON_KILLED)
                  .build());
    }
    for (int i = 0; i < 3; i++) {
      Shard shard = lease("a", "train", 1).getShards(0);
      assertThat(report("a", "train", ShardFate.SHARD_FATE_FAILED, shard).getOutcomes(0))
          .isEqualTo(ReportOutcome.REPORT_OUTCOME_REQUEUED);
    }
    Shard last = lease("a", "train", 1).getShards(0);
    assertThat(report("a", "train", ShardFate.SHARD_FATE_FAILED, last).getOutcomes(0))
        .isEqualTo(ReportOutcome.REPORT_OUTCOME_DATASET_FAILED);
    LeaseShardsResponse failed = lease("b", "train", 1);
    assertThat(failed.getState()).isEqualTo(LeaseState.LEASE_STATE_FAILED);
    assertThat(failed.getFailure().getShard()).isZero();
    assertThat(failed.getFailure().getWorker()).isEqualTo("a");
    assertThat(failed.getFailure().getCause()).isEqualTo("bad row");
  }

  @Test
  void shufflesTheRecordsOfATextBySeedAlikeAfterARestart() throws IOException {
    CreateDatasetRequest text =
        CreateDatasetRequest.newBuilder()
            .setSpec(
                DatasetSpec.newBuilder()
                    .setName("text")
                    .setText(TextSource.newBuilder().setSize(100))
                    .setShards(ShardConsumption.newBuilder().setShardSize(50))
                    .setShuffle(Shuffle.SHUFFLE_RECORDS)
                    .setSeed(9)
                    .setEpochs(1))
            .build();
    running.data().createDataset(text);
    Shard first = lease("a", "text", 1).getShards(0);
    report("a", "text", ShardFate.SHARD_FATE_RETURNED, first);
    restart();
    Shard again = lease("a", "text", 1).getShards(0);
    Shard rest = lease("a", "text", 1).getShards(0);
    assertThat(again.getRecordsList())
        .isEqualTo(first.getRecordsList())
        .isNotEqualTo(sorted(first));
    assertThat(rest.getRecordsList()).doesNotContainAnyElementsOf(again.getRecordsList());
  }

  private static List<Long> sorted(Shard shard) {
    return shard.getRecordsList().stream().sorted().toList();
  }

  @Test
  void streamsGrowAndEndWhenTheyAreClosed() throws IOException {
    running
        .data()
        .createDataset(
            CreateDatasetRequest.newBuilder()
                .setSpec(
                    DatasetSpec.newBuilder()
                        .setName("log")
                        .setStream(
                            StreamSource.newBuilder()
                                .addPartitions(
                                    Partition.newBuilder().setName("p0").setStart(5).setEnd(5)))
                        .setShards(ShardConsumption.newBuilder().setShardSize(10))
                        .setEpochs(1))
                .build());
    assertThat(lease("a", "log", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_WAIT);
    grow(Partition.newBuilder().setName("p0").setEnd(22).build(), false);
    grow(Partition.newBuilder().setName("p1").setEnd(3).build(), true);
    LeaseShardsResponse shards = lease("a", "log", 9);
    assertThat(shards.getShardsList())
        .extracting(s -> s.getPartition() + " " + s.getStart() + "-" + s.getEnd())
        .containsExactly("p0 5-15", "p1 0-3", "p0 15-22");
    for (Shard shard : shards.getShardsList()) {
      report("a", "log", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    }
    restart();
    assertThat(lease("a", "log", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_END);
    grow(Partition.newBuilder().setName("p0").setEnd(21).build(), false); // old news
    assertFault(
        Status.Code.INVALID_ARGUMENT,
        ErrorCode.BAD_PARTITION,
        "was closed",
        () -> grow(Partition.newBuilder().setName("p0").setEnd(23).build(), false));
  }

  private void grow(Partition partition, boolean closed) throws IOException {
    running
        .data()
        .growStream(
            GrowStreamRequest.newBuilder()
                .setDataset("log")
                .addPartitions(partition)
                .setClosed(closed)
                .build());
  }

  // Steps.

  @Test
  void commitsStepsInOrderAndSaysWhatIsRepeatedOrOld() throws IOException {
    running
        .data()
        .createDataset(
            CreateDatasetRequest.newBuilder()
                .setSpec(
                    DatasetSpec.newBuilder()
                        .setName("steps")
                        .setText(TextSource.newBuilder().setSize(10))
                        .setSteps(StepConsumption.newBuilder().setBatchSize(4))
                        .setEpochs(2))
                .build());
    assertThat(commit(0, 0, 1).getOutcomeValue()).isZero();
    assertThat(commit(0, 0, 1).getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_REPEATED);
    assertThat(commit(0, 2, 1).getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_GAP);
    assertThat(commit(0, 1, 3).getOutcomeValue()).isZero();
    assertThat(commit(0, 2, 2).getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_OLD_WORLD);
    restart();
    CommitStepResponse last = commit(0, 2, 3);
    assertThat(last.getNextEpoch()).isEqualTo(1);
    assertThat(last.getNextStep()).isZero();
    assertFault(
        Status.Code.OUT_OF_RANGE,
        ErrorCode.OUT_OF_RANGE,
        "2 epochs of 3 steps",
        () -> commit(0, 3, 3));
    assertFault(
        Status.Code.FAILED_PRECONDITION,
        ErrorCode.WRONG_CONSUMPTION,
        "by steps",
        () -> lease("a", "steps", 1));
  }

  private CommitStepResponse commit(long epoch, long step, long world) throws IOException {
    return running
        .data()
        .commitStep(
            CommitStepRequest.newBuilder()
                .setDataset("steps")
                .setEpoch(epoch)
                .setStep(step)
                .setWorld(world)
                .build());
  }

  // Checkpoints.

  @Test
  void restoresExactlyWhatACheckpointHolds() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 100, 10, 1));
    List<Shard> shards = lease("a", "train", 4).getShardsList();
    report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(1));
    LedgerCheckpoint checkpoint =
        running.data().takeCheckpoint(TakeCheckpointRequest.getDefaultInstance()).getCheckpoint();
    assertThat(checkpoint.getNumber()).isEqualTo(1);
    for (int i : new int[] {0, 2, 3}) {
      report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(i));
    }
    restart();
    restore(RestoreCheckpointRequest.newBuilder().setNumber(1).build());
    assertThat(done()).isEqualTo(10);
    assertThat(lease("b", "train", 4).getShardsList())
        .extracting(Shard::getNumber)
        .containsExactly(0L, 2L, 3L, 4L);
    ReportShardsResponse late =
        report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(0));
    assertThat(late.getOutcomes(0)).isEqualTo(ReportOutcome.REPORT_OUTCOME_REFUSED);
    assertThat(late.getRefusals(0)).contains("a checkpoint was restored");
    restore(RestoreCheckpointRequest.newBuilder().setCheckpoint(checkpoint).build());
    assertThat(done()).isEqualTo(10);

    assertFault(
        Status.Code.NOT_FOUND,
        ErrorCode.UNKNOWN_CHECKPOINT,
        "keeps no checkpoint 9",
        () -> restore(RestoreCheckpointRequest.newBuilder().setNumber(9).build()));
    assertFault(
        Status.Code.FAILED_PRECONDITION,
        ErrorCode.FOREIGN_CHECKPOINT,
        "of job 'default/other'",
        () ->
            restore(
                RestoreCheckpointRequest.newBuilder()
                    .setCheckpoint(checkpoint.toBuilder().setJob("default/other"))
                    .build()));
    assertFault(
        Status.Code.DATA_LOSS,
        ErrorCode.DAMAGED_CHECKPOINT,
        "",
        () ->
            restore(
                RestoreCheckpointRequest.newBuilder().setCheckpoint(noise(checkpoint)).build()));
    assertFault(
        Status.Code.DATA_LOSS,
        ErrorCode.DAMAGED_CHECKPOINT,
        "checksum",
        () ->
            restore(
                RestoreCheckpointRequest.newBuilder()
                    .setCheckpoint(checkpoint.toBuilder().setCrc32C(1))
                    .build()));
    assertThat(done()).isEqualTo(10);
  }

  /// The checkpoint with other bytes in it, whose checksum is right.
  private static LedgerCheckpoint noise(LedgerCheckpoint checkpoint) {
    byte[] bytes = {0x0a, 0x7f, 1, 2, 3};
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes);
    return checkpoint.toBuilder()
        .setLedgers(com.google.protobuf.ByteString.copyFrom(bytes))
        .setCrc32C((int) crc.getValue())
        .build();
  }

  private void restore(RestoreCheckpointRequest request) throws IOException {
    running.data().restoreCheckpoint(request);
  }

  private long done() throws IOException {
    return running
        .data()
        .getDataset(GetDatasetRequest.newBuilder().setDataset("train").build())
        .getProgress()
        .getRecordsDone();
  }

  // Silence.

  @Test
  void takesBackWhatASilentWorkerHas() throws IOException {
    running.close();
    running =
        new RunningMaster(
            MasterConfig.builder(JOB, folder.resolve("job"))
                .heartbeatTimeout(Duration.ofMillis(400))
                .build());
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    Shard silent = lease("silent", "train", 1).getShards(0);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> lease("b", "train", 1).getShardsList(), s -> s.contains(again(silent)));
    assertThat(
            running
                .job()
                .heartbeat(
                    HeartbeatRequest.newBuilder().addWorkers("silent").addWorkers("new").build())
                .getLostList())
        .containsExactly("silent");
  }

  private static Shard again(Shard shard) {
    return shard.toBuilder().setLease(shard.getLease() + 1).build();
  }

  // Bad input.

  @Test
  void refusesBadInputWithItsOwnErrorAndChangesNothing() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    long events = running.job().getJob(GetJobRequest.getDefaultInstance()).getJournalEvents();
    Status.Code invalid = Status.Code.INVALID_ARGUMENT;
    assertFault(invalid, ErrorCode.BAD_DATASET_SIZE, "0 records", create("d", 0, 1, 1));
    assertFault(invalid, ErrorCode.BAD_DATASET_SIZE, "-3 records", create("d", -3, 1, 1));
    assertFault(invalid, ErrorCode.BAD_SHARD_SIZE, "more than the 10", create("d", 10, 11, 1));
    assertFault(invalid, ErrorCode.BAD_EPOCHS, "at least 1", create("d", 10, 5, 0));
    assertFault(
        invalid, ErrorCode.BAD_NAME, "10,240 characters", create("x".repeat(10_240), 10, 5, 1));
    assertFault(
        Status.Code.ALREADY_EXISTS, ErrorCode.DATASET_EXISTS, "epochs", create("train", 10, 5, 2));
    assertFault(
        Status.Code.NOT_FOUND,
        ErrorCode.UNKNOWN_DATASET,
        "no dataset 'trian'",
        () -> lease("a", "trian", 1));
    assertFault(
        Status.Code.NOT_FOUND,
        ErrorCode.UNKNOWN_LEASE,
        "never leased",
        () ->
            report(
                "a",
                "train",
                ShardFate.SHARD_FATE_UNSPECIFIED,
                Shard.newBuilder().setNumber(1).setLease(1).build()));
    assertFault(
        Status.Code.OUT_OF_RANGE,
        ErrorCode.OUT_OF_RANGE,
        "shards 0 to 1",
        () ->
            report(
                "a",
                "train",
                ShardFate.SHARD_FATE_UNSPECIFIED,
                Shard.newBuilder().setNumber(2).setLease(1).build()));
    assertFault(invalid, ErrorCode.BAD_MESSAGE, "count is 0", () -> lease("a", "train", 0));
    assertFault(invalid, ErrorCode.TOO_MANY, "1 to 1,024", () -> lease("a", "train", 1_025));
    assertFault(invalid, ErrorCode.BAD_NAME, "a worker", () -> lease("a b", "train", 1));
    assertFault(
        invalid,
        ErrorCode.BAD_MESSAGE,
        "no source",
        () -> running.data().createDataset(CreateDatasetRequest.getDefaultInstance()));
    assertThat(running.job().getJob(GetJobRequest.getDefaultInstance()).getJournalEvents())
        .isEqualTo(events);
  }

  private Executable create(String name, long size, long shardSize, long epochs) {
    return () -> running.data().createDataset(RunningMaster.table(name, size, shardSize, epochs));
  }
}

package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.rpc.ErrorInfo;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseShardsResponse;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// A master that a real client talks to over TLS.
abstract class WireTest {
  static final JobId JOB = new JobId("default", "wire");

  @TempDir Path folder;
  RunningMaster running;

  @BeforeEach
  void start() throws IOException {
    running = RunningMaster.start(JOB, folder.resolve("job"));
  }

  @AfterEach
  void stop() {
    running.close();
  }

  final void restart() throws IOException {
    running.close();
    running = RunningMaster.start(JOB, folder.resolve("job"));
  }

  final LeaseShardsResponse lease(String worker, String dataset, int count) throws IOException {
    return running
        .data()
        .leaseShards(
            LeaseShardsRequest.newBuilder()
                .setWorker(worker)
                .setDataset(dataset)
                .setCount(count)
                .build());
  }

  final ReportShardsResponse report(String worker, String dataset, ShardFate fate, Shard shard)
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

  static void assertFault(Status.Code status, ErrorCode code, String said, Executable call) {
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
}

package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.Partition;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkOpen;
import dev.pliant.protocol.v1.WorkRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Malformed messages to every method: each call ends, the master lives, the data is untouched.
class FuzzIT {
  private static final JobId JOB = new JobId("default", "fuzz");
  private static final int CALLS = Integer.getInteger("pliant.fuzz.calls", 3_000);

  /// gRPC writes a page to the log of each message that is none; here that is nearly every one.
  private static final Logger NOISE =
      Logger.getLogger("io.grpc.internal.SerializeReentrantCallsDirectExecutor");

  @TempDir Path folder;

  @BeforeEach
  void quietNoise() {
    NOISE.setLevel(Level.OFF);
  }

  @AfterEach
  void hearNoise() {
    NOISE.setLevel(null);
  }

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private static List<MethodDescriptor<byte[], byte[]>> methods() {
    List<MethodDescriptor<byte[], byte[]>> methods = new ArrayList<>();
    for (var service :
        List.of(DataServiceGrpc.getServiceDescriptor(), JobServiceGrpc.getServiceDescriptor())) {
      for (MethodDescriptor<?, ?> method : service.getMethods()) {
        methods.add(method.toBuilder(BYTES, BYTES).build());
      }
    }
    return methods;
  }

  @Test
  void everyCallEndsAndTheMasterLives() throws Exception {
    long seed = Long.getLong("pliant.fuzz.seed", System.nanoTime());
    System.out.println("FuzzIT seed " + seed + " (repeat with -Dpliant.fuzz.seed=" + seed + ")");
    SplittableRandom random = new SplittableRandom(seed);
    List<MethodDescriptor<byte[], byte[]>> methods = methods();
    try (RunningMaster running = RunningMaster.start(JOB, folder.resolve("job"))) {
      running.data().createDataset(RunningMaster.table("train", 100, 10, 1));
      List<CompletableFuture<Status>> ends = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        MethodDescriptor<byte[], byte[]> method = methods.get(random.nextInt(methods.size()));
        ends.add(call(running, method, random));
        if (i % 50 == 0 || i == CALLS - 1) {
          for (CompletableFuture<Status> end : ends) {
            assertThat(end.get(90, TimeUnit.SECONDS).getCode())
                .as("seed %d, call %d", seed, i)
                .isNotEqualTo(Status.Code.DEADLINE_EXCEEDED);
          }
          ends.clear();
        }
      }
      var job = running.job().getJob(GetJobRequest.getDefaultInstance());
      assertThat(job.getDatasetsList())
          .filteredOn(d -> d.getSpec().getName().equals("train"))
          .singleElement()
          .matches(d -> d.getState() != LeaseState.LEASE_STATE_FAILED);
    }
  }

  /// Starts a call with one to three messages and half-closes it.
  private static CompletableFuture<Status> call(
      RunningMaster running, MethodDescriptor<byte[], byte[]> method, SplittableRandom random)
      throws IOException {
    CompletableFuture<Status> ended = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call =
        running.channel.newCall(
            method, CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS));
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.complete(status);
          }
        },
        RunningMaster.bearer(running.token()));
    call.request(100);
    int messages = method.getType() == MethodDescriptor.MethodType.UNARY ? 1 : random.nextInt(1, 4);
    for (int i = 0; i < messages; i++) {
      call.sendMessage(message(random));
    }
    call.halfClose();
    return ended;
  }

  /// Noise, or a message that is nearly one.
  private static byte[] message(SplittableRandom random) {
    byte[] bytes =
        switch (random.nextInt(6)) {
          case 0 -> new byte[random.nextInt(300)];
          case 1 ->
              LeaseShardsRequest.newBuilder()
                  .setWorker("w")
                  .setDataset(random.nextBoolean() ? "train" : "none")
                  .setCount(random.nextInt())
                  .build()
                  .toByteArray();
          case 2 ->
              ReportShardsRequest.newBuilder()
                  .setWorker("w")
                  .setDataset("train")
                  .addReports(
                      ShardReport.newBuilder()
                          .setNumber(random.nextLong())
                          .setLease(random.nextLong())
                          .setFateValue(random.nextInt()))
                  .build()
                  .toByteArray();
          case 3 ->
              WorkRequest.newBuilder()
                  .setOpen(WorkOpen.newBuilder().setWorker("w").setDataset("train"))
                  .setWant(random.nextInt(-5, 2_000))
                  .build()
                  .toByteArray();
          case 4 ->
              Partition.newBuilder()
                  .setName("p")
                  .setStart(random.nextLong())
                  .setEnd(random.nextLong())
                  .build()
                  .toByteArray();
          default -> {
            byte[] noise = new byte[random.nextInt(1, 2_000)];
            random.nextBytes(noise);
            yield noise;
          }
        };
    for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return bytes;
  }
}

package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.master.verify.Verifier;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import dev.pliant.testing.Needs;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A master whose real disk is full: a small file system of its own.
class FullDiskIT {
  private static final JobId JOB = new JobId("default", "full");
  private static final Duration CALL = Duration.ofSeconds(10);

  @TempDir Path folder;
  private Path disk;

  @BeforeEach
  void mount() throws IOException {
    disk = Files.createDirectory(folder.resolve("disk"));
    Needs.that(Needs.root(), "root, to mount a small file system");
    Commands.Result mounted =
        Commands.run(
            folder,
            Map.of(),
            CALL,
            "mount",
            "-t",
            "tmpfs",
            "-o",
            "size=6m",
            "pliant-e2e",
            disk.toString());
    Needs.that(mounted.exit() == 0, "a machine that mounts: " + mounted.output());
  }

  @AfterEach
  void unmount() {
    Commands.run(folder, Map.of(), CALL, "umount", "-l", disk.toString());
  }

  @Test
  void stopsWritingWithAClearStatusAndGoesOnWhenThereIsRoom() throws Exception {
    Path job = disk.resolve("job");
    Path ballast = disk.resolve("ballast");
    try (Master _ = Master.start(MasterConfig.of(JOB, job), InstantSource.system());
        MasterConnection master = new MasterConnection(new MasterLocation.MasterFile(job))) {
      var _ =
          master
              .data(CALL)
              .createDataset(
                  CreateDatasetRequest.newBuilder()
                      .setSpec(
                          DatasetSpec.newBuilder()
                              .setName("train")
                              .setTable(TableSource.newBuilder().setSize(100_000_000))
                              .setShards(ShardConsumption.newBuilder().setShardSize(1))
                              .setEpochs(1))
                      .build());
      fill(ballast);
      assertThatThrownBy(
              () -> {
                while (true) {
                  lease(master);
                }
              })
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("UNAVAILABLE")
          .hasMessageContaining("No space left on device")
          .hasMessageContaining("Make room");
      assertThat(master.jobs(CALL).getJob(GetJobRequest.getDefaultInstance()).getJournalTrouble())
          .contains("No space left");
      Files.delete(ballast);
      Awaitility.await("the journal is written again")
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptionsInstanceOf(StatusRuntimeException.class)
          .until(() -> lease(master) > 0);
    }
    assertThat(Verifier.ofFolder(JOB, job).verify().holds()).isTrue();
    Replays.assertNoDifference(JOB, job);
  }

  /// Leases a shard and ends its worker with a long last word: a few kilobytes of journal.
  private static int lease(MasterConnection master) {
    int shards =
        master
            .data(CALL)
            .leaseShards(
                LeaseShardsRequest.newBuilder()
                    .setWorker("w")
                    .setDataset("train")
                    .setCount(1)
                    .build())
            .getShardsCount();
    var _ =
        master
            .jobs(CALL)
            .endWorker(
                EndWorkerRequest.newBuilder()
                    .setWorker("w")
                    .setReason(ExitReason.EXIT_REASON_KILLED)
                    .setMessage("x".repeat(4_000))
                    .build());
    return shards;
  }

  private static void fill(Path file) throws IOException {
    try (RandomAccessFile ballast = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] page = new byte[4_096];
      while (true) {
        ballast.write(page);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }
}

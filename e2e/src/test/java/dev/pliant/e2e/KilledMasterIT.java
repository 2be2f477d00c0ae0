package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verifier;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.Shuffle;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A master killed with -9 at random points under load, again and again.
@Timeout(value = 3, unit = TimeUnit.HOURS) // It is told how often.
class KilledMasterIT {
  private static final JobId JOB = new JobId("default", "killed");
  private static final int KILLS = Integer.getInteger("pliant.kills", 20);
  private static final long SHARDS = 4_000L * KILLS;

  @TempDir Path folder;

  @Test
  void forgetsNothingItAnsweredAndDoesEveryShardOnce() throws Exception {
    long seed = Long.getLong("pliant.seed", System.nanoTime());
    System.out.printf("KilledMasterIT: %d kills, seed %d%n", KILLS, seed);
    SplittableRandom random = new SplittableRandom(seed);
    Path job = folder.resolve("job");
    Path log = folder.resolve("master.log");
    MasterProcess master = MasterProcess.start(JOB, job, log);
    try {
      createDataset(job, log);
      try (ShardLoad load = new ShardLoad(job, "train", 4, 8)) {
        for (int kill = 0; kill < KILLS; kill++) {
          long before = load.answers();
          int more = random.nextInt(1, 120);
          Awaitility.await("answers of master " + kill)
              .pollDelay(Duration.ZERO)
              .pollInterval(Duration.ofMillis(1))
              .atMost(Duration.ofSeconds(90))
              .until(() -> load.answers() >= before + more);
          master.kill();
          master = MasterProcess.start(JOB, job, log);
        }
        load.awaitEnd(Duration.ofMinutes(10));
        assertThat(load.toldDone()).hasSize((int) SHARDS);
      }
    } finally {
      master.close();
    }
    Verification found = Verifier.ofFolder(JOB, job).verify();
    assertThat(found.complete()).as("seed %d: %s", seed, found).isTrue();
    assertThat(found.datasets().getFirst().done()).isEqualTo(SHARDS * 10);
    Replays.assertNoDifference(JOB, job);
  }

  private static void createDataset(Path job, Path log) {
    try (MasterConnection master = new MasterConnection(new MasterLocation.MasterFile(job))) {
      Awaitility.await("a master")
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptionsInstanceOf(StatusRuntimeException.class)
          .conditionEvaluationListener(condition -> {
            boolean unused = master.refresh();
          })
          .until(() ->
              master
                      .data(Duration.ofSeconds(10))
                      .createDataset(
                          CreateDatasetRequest.newBuilder()
                              .setSpec(
                                  DatasetSpec.newBuilder()
                                      .setName("train")
                                      .setTable(TableSource.newBuilder().setSize(SHARDS * 5))
                                      .setShards(ShardConsumption.newBuilder().setShardSize(10))
                                      .setShuffle(Shuffle.SHUFFLE_SHARDS)
                                      .setSeed(3)
                                      .setEpochs(2))
                              .build())
                      .getMasterEpoch()
                  > 0);
    } catch (org.awaitility.core.ConditionTimeoutException e) {
      throw new AssertionError("no master; its log: " + read(log), e);
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }
}

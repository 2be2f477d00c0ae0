package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `pliant run` with real masters, agents and Python workers, and what may happen to them.
@Timeout(300)
final class RunIT {
  @TempDir Path folder;

  @Test
  void runsAJobToItsEndAndThenOnlyWhenToldHow() throws Exception {
    String job = RunningPliant.countJob(folder, 1_000, 1).toString();
    try (RunningPliant first = RunningPliant.start(folder, "run", job, "-o", "json")) {
      assertThat(first.awaitExit()).as(first::said).isZero();
      assertThat(first.out())
          .startsWith(
              "{\"job\":\"default/count\",\"outcome\":\"succeeded\",\"reasons\":[],"
                  + "\"recordsDone\":1000,\"recordsTotal\":1000,")
          .contains("\"masterRestarts\":0,\"workers\":{\"worker-0\":\"succeeded");
      assertThat(first.err())
          .contains("[worker-0] worker worker-0: ", "[worker-1] worker worker-1: ")
          .contains("job default/count succeeded: 1,000 of 1,000 records in ");
      assertThat(mode(first.jobFolder())).isEqualTo("rwx------");
      assertThat(mode(first.jobFolder().resolve("token"))).isEqualTo("rw-------");
    }
    try (RunningPliant again = RunningPliant.start(folder, "run", job)) {
      assertThat(again.awaitExit()).isEqualTo(1);
      assertThat(again.err())
          .isEqualTo(
              "pliant: job default/count has run before; continue it with --resume, start it anew"
                  + " with --replace, or give this one another name with --name.\n");
    }
    try (RunningPliant resumed = RunningPliant.start(folder, "run", job, "--resume")) {
      assertThat(resumed.awaitExit()).as(resumed::said).isZero();
      assertThat(resumed.out()).contains("0 shards, 0 records, sum 0");
    }
    try (RunningPliant replaced = RunningPliant.start(folder, "run", job, "--replace")) {
      assertThat(replaced.awaitExit()).as(replaced::said).isZero();
      assertThat(replaced.out()).contains("1,000 of 1,000 records");
    }
  }

  @Test
  void aKilledMasterIsReplacedAndTheWorkersDoNotNotice() throws Exception {
    Path hurry = folder.resolve("hurry");
    String job = RunningPliant.pacedJob(folder, 20_000, hurry).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.master().destroyForcibly()).isTrue();
      run.awaitSaid("epoch 2 took over after ");
      Files.createFile(hurry);

      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(run.out())
          .contains("master was killed (SIGKILL); epoch 2 took over after ")
          .contains("job default/count succeeded: 20,000 of 20,000 records")
          .contains("master restarted 1 time.");
      run.awaitNothingLeft();
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void aSignalEndsEverythingInOrderAndTheJobGoesOnLater(String signal, int wantExit)
      throws Exception {
    Path hurry = folder.resolve("hurry");
    String job = RunningPliant.pacedJob(folder, 20_000, hurry).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      run.signal(signal);

      assertThat(run.awaitExit()).as(run::said).isEqualTo(wantExit);
      assertThat(run.out()).contains("stopping: ", "job default/count stopped: ", "--resume");
      run.awaitNothingLeft();
    }
    Files.createFile(hurry);
    try (RunningPliant resumed = RunningPliant.start(folder, "run", job, "--resume")) {
      assertThat(resumed.awaitExit()).as(resumed::said).isZero();
      assertThat(resumed.out()).contains("20,000 of 20,000 records");
    }
  }

  @Test
  void aKilledSupervisorTakesEverythingWithItAndTheJobGoesOnLater() throws Exception {
    Path hurry = folder.resolve("hurry");
    String job = RunningPliant.pacedJob(folder, 20_000, hurry).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.supervisor().destroyForcibly()).isTrue();
      try (RunningPliant resumed = RunningPliant.start(folder, "run", job, "--resume")) {
        run.awaitNothingLeft();
        Files.createFile(hurry);
        assertThat(resumed.awaitExit()).as(resumed::said).isZero();
        assertThat(resumed.out()).contains("20,000 of 20,000 records");
      }
    }
  }

  @Test
  void aKilledAgentTakesItsWorkerWithItAndIsReplaced() throws Exception {
    Path hurry = folder.resolve("hurry");
    String job = RunningPliant.pacedJob(folder, 20_000, hurry).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.agent().destroyForcibly()).isTrue();
      run.awaitSaid("worker-2 takes the place of worker-");
      Files.createFile(hurry);

      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(run.out()).contains("20,000 of 20,000 records").contains("1 worker relaunched");
      run.awaitNothingLeft();
    }
  }

  @Test
  void aKilledWorkerIsReplacedAndEveryRecordIsDoneOnce() throws Exception {
    Path hurry = folder.resolve("hurry");
    String job = RunningPliant.pacedJob(folder, 20_000, hurry).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.worker().destroyForcibly()).isTrue();
      run.awaitSaid("worker-2 takes the place of worker-");
      Files.createFile(hurry);

      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(run.out())
          .contains("every record of every epoch was completed exactly once")
          .contains("20,000 of 20,000 records");
      run.awaitNothingLeft();
    }
  }

  @Test
  void growsAndShrinksWhileItRuns() throws Exception {
    Path hurry = folder.resolve("hurry");
    String job = RunningPliant.pacedJob(folder, 20_000, hurry).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      try (RunningPliant scale = RunningPliant.start(folder, "scale", "count", "--workers", "3")) {
        assertThat(scale.awaitExit()).as(scale::said).isZero();
        assertThat(scale.out()).isEqualTo("from 2 to 3 workers\n");
      }
      run.awaitSaid(" · 3 workers · ");
      try (RunningPliant get = RunningPliant.start(folder, "get", "jobs")) {
        assertThat(get.awaitExit()).as(get::said).isZero();
        assertThat(get.out()).startsWith("NAME ").containsPattern("count +Running +3/3 ");
      }
      try (RunningPliant scale = RunningPliant.start(folder, "scale", "count", "--workers", "1")) {
        assertThat(scale.awaitExit()).as(scale::said).isZero();
      }
      run.awaitSaid("worker-2 left");
      run.awaitSaid("worker-1 left");
      Files.createFile(hurry);
      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(run.out())
          .contains("3 workers wished", "1 worker wished")
          .contains("20,000 of 20,000 records");
    }
    try (RunningPliant events = RunningPliant.start(folder, "events", "count")) {
      assertThat(events.awaitExit()).as(events::said).isZero();
      assertThat(events.out()).contains("decision", "Workers changed from 2 to 3.");
    }
    try (RunningPliant logs =
        RunningPliant.start(folder, "logs", "count", "--worker", "worker-0", "--tail", "1")) {
      assertThat(logs.awaitExit()).as(logs::said).isZero();
      assertThat(logs.out()).startsWith("worker worker-0: ");
    }
    try (RunningPliant delete = RunningPliant.start(folder, "delete", "count")) {
      assertThat(delete.awaitExit()).as(delete::said).isZero();
      assertThat(delete.jobFolder()).doesNotExist();
    }
  }

  @Test
  void stopsAJobFromOutside() throws Exception {
    String job = RunningPliant.pacedJob(folder, 100_000, folder.resolve("never")).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();
      try (RunningPliant refused = RunningPliant.start(folder, "delete", "count")) {
        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(refused.err()).contains("is running already");
      }
      try (RunningPliant stop = RunningPliant.start(folder, "stop", "count")) {
        assertThat(stop.awaitExit()).as(stop::said).isZero();
        assertThat(stop.out()).isEqualTo("job default/count is stopped.\n");
      }
      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.err()).contains("the job was stopped: it was stopped by ");
      run.awaitNothingLeft();
    }
  }

  @Test
  void aFailingScriptIsShownWithTheEndOfItsLogAndTriedNoOftenerThanAllowed() throws Exception {
    Path script = Files.writeString(folder.resolve("bad.py"), FAILING);
    try (RunningPliant run =
        RunningPliant.start(
            folder, "run", "--name", "count", "--max-restarts", "1", script.toString())) {
      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.out())
          .contains("worker-0 failed (")
          .contains("worker-1 takes the place of worker-0")
          .contains("its log, ", "  ValueError: no data here")
          .doesNotContain("worker-2");
      assertThat(run.err()).startsWith("pliant: the job failed: ");
      run.awaitNothingLeft();
    }
  }

  private static final String FAILING = "raise ValueError('no data here')\n";

  @Test
  void runsAPlainScriptAsTorchrunDoes() throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("plain.py"),
            """
            import os, sys
            names = "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK"
            print(" ".join(os.environ[name] for name in names), sys.argv[1:], flush=True)
            assert os.environ["MASTER_ADDR"] and int(os.environ["MASTER_PORT"])
            """);
    try (RunningPliant run =
        RunningPliant.start(
            folder,
            "run",
            "--nnodes=2",
            "--nproc_per_node=2",
            "--rdzv-conf=last_call_timeout=60", // else the first world may be of whoever was quick
            "--name",
            "count",
            script.toString(),
            "--nnodes",
            "x")) {
      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(run.out())
          .contains("] 0 4 0 2 0 ['--nnodes', 'x']")
          .contains("] 1 4 1 2 0 ['--nnodes', 'x']")
          .contains("] 2 4 0 2 1 ['--nnodes', 'x']")
          .contains("] 3 4 1 2 1 ['--nnodes', 'x']")
          .contains("world 1: 4 workers");
    }
  }

  @Test
  void theSecondSignalKillsWhatDoesNotListen() throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("deaf.py"),
            """
            import signal, time
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print("deaf", flush=True)
            time.sleep(600)
            """);
    try (RunningPliant run =
        RunningPliant.start(folder, "run", "--name", "count", script.toString())) {
      run.awaitSaid("] deaf");

      run.signal("INT");
      run.awaitSaid("stopping: ");
      run.signal("INT");

      assertThat(run.awaitExit()).as(run::said).isEqualTo(130);
      assertThat(run.out()).contains("the workers are killed");
      run.awaitNothingLeft();
    }
  }

  @Test
  void logsWithoutEndAreBounded() throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("loud.py"),
            """
            line = "x" * 1023 + "\\n"
            for _ in range(200):
                print(line * 1024, end="")
            print("done")
            """);
    try (RunningPliant run =
        RunningPliant.start(folder, "run", "--name", "count", script.toString())) {
      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(Files.size(run.jobFolder().resolve("logs/worker-0.log"))).isLessThan(70L << 20);
      assertThat(run.out()).contains("[worker-0] done");
    }
  }

  @Test
  void workersThatLeaveDataBehindAreNoSuccess() throws Exception {
    Path job =
        RunningPliant.job(
            folder,
            List.of(
                "python3",
                "-c",
                "import pliant; pliant.init().dataset(\"d\", size=100, shard_size=10)"),
            Map.of());
    try (RunningPliant run = RunningPliant.start(folder, "run", job.toString())) {
      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.err())
          .isEqualTo(
              "pliant: all workers have ended, but 100 of the 100 records of dataset 'd' are"
                  + " left.\n");
    }
  }

  @Test
  void aSecondSupervisorIsToldWhoHasTheJob() throws Exception {
    String job = RunningPliant.pacedJob(folder, 100_000, folder.resolve("never")).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();
      try (RunningPliant second = RunningPliant.start(folder, "run", job, "--replace")) {
        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.err())
            .startsWith(
                "pliant: job default/count is running already, by process "
                    + run.supervisor().pid()
                    + ", since ");
      }
      run.signal("TERM");
      assertThat(run.awaitExit()).as(run::said).isEqualTo(143);
    }
  }

  @Test
  void aMasterThatCannotComeUpFailsTheRunWithTheEndOfItsLog() throws Exception {
    String job = RunningPliant.countJob(folder, 100, 1).toString();
    Path jobFolder = folder.resolve("state/pliant/jobs/default/count");
    Files.createDirectories(jobFolder);
    Files.writeString(jobFolder.resolve("journal"), "a file where a folder should be");
    try (RunningPliant run = RunningPliant.start(folder, "run", job, "--resume")) {
      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.out()).contains("the master's log, ", "journal");
      assertThat(run.err())
          .startsWith("pliant: the master died 10 times in a row ")
          .endsWith("the last time it failed with exit code 1.\n");
    }
  }

  private static String mode(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}

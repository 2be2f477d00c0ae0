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
          .contains("\"masterRestarts\":0,\"workers\":{\"worker-");
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
    String job = RunningPliant.countJob(folder, 6_000, 20).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.master().destroyForcibly()).isTrue();

      assertThat(run.awaitExit()).as(run::said).isZero();
      assertThat(run.out())
          .contains("master was killed (SIGKILL); epoch 2 took over after ")
          .contains("job default/count succeeded: 6,000 of 6,000 records")
          .contains("master restarted 1 time.");
      run.awaitNothingLeft();
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void aSignalEndsEverythingInOrderAndTheJobGoesOnLater(String signal, int wantExit)
      throws Exception {
    String job = RunningPliant.countJob(folder, 6_000, 20).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      run.signal(signal);

      assertThat(run.awaitExit()).as(run::said).isEqualTo(wantExit);
      assertThat(run.out()).contains("stopping: ", "job default/count stopped: ", "--resume");
      run.awaitNothingLeft();
    }
    try (RunningPliant resumed = RunningPliant.start(folder, "run", job, "--resume")) {
      assertThat(resumed.awaitExit()).as(resumed::said).isZero();
      assertThat(resumed.out()).contains("6,000 of 6,000 records");
    }
  }

  @Test
  void aKilledSupervisorTakesEverythingWithItAndTheJobGoesOnLater() throws Exception {
    String job = RunningPliant.countJob(folder, 6_000, 20).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.supervisor().destroyForcibly()).isTrue();
      try (RunningPliant resumed = RunningPliant.start(folder, "run", job, "--resume")) {
        run.awaitNothingLeft();
        assertThat(resumed.awaitExit()).as(resumed::said).isZero();
        assertThat(resumed.out()).contains("6,000 of 6,000 records");
      }
    }
  }

  @Test
  void aKilledAgentFailsTheRunAndLeavesNoWorkerBehind() throws Exception {
    String job = RunningPliant.countJob(folder, 100_000, 20).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.agent().destroyForcibly()).isTrue();

      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.out()).contains("the agent was killed (SIGKILL)");
      assertThat(run.err()).contains("records of dataset 'count' are left.");
      run.awaitNothingLeft();
    }
  }

  @Test
  void aKilledWorkerIsToldAndTheOthersDoItsRecords() throws Exception {
    String job = RunningPliant.countJob(folder, 6_000, 20).toString();
    try (RunningPliant run = RunningPliant.start(folder, "run", job)) {
      run.awaitWork();

      assertThat(run.worker().destroyForcibly()).isTrue();

      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.out()).contains("6,000 of 6,000 records");
      assertThat(run.err()).matches("pliant: worker worker-\\d was killed \\(SIGKILL\\)\\.\n");
      run.awaitNothingLeft();
    }
  }

  @Test
  void aFailingScriptIsShownWithTheEndOfItsLog() throws Exception {
    Path job =
        RunningPliant.job(
            folder,
            List.of("python3", "-c", "import sys; print(\"no data here\"); sys.exit(3)"),
            Map.of());
    try (RunningPliant run = RunningPliant.start(folder, "run", job.toString())) {
      assertThat(run.awaitExit()).as(run::said).isEqualTo(1);
      assertThat(run.out())
          .contains("worker worker-0 failed with exit code 3; its log, ", "\n  no data here\n");
      assertThat(run.err())
          .contains("pliant: worker worker-0 failed with exit code 3.\n")
          .contains("pliant: worker worker-1 failed with exit code 3.\n");
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
    String job = RunningPliant.countJob(folder, 100_000, 20).toString();
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

package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.cli.jobs.JobInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `pliant submit` on this machine: the job goes on when the command is gone.
@Timeout(300)
final class SubmitIT {
  @TempDir Path folder;

  private Path jobFolder() {
    return folder.resolve("state/pliant/jobs/default/count");
  }

  /// Should a test fail half-way, its job ends all the same.
  @AfterEach
  void endTheJob() throws Exception {
    JobInfo.holder(jobFolder()).ifPresent(ProcessHandle::destroy);
    await().atMost(RunningPliant.BOUND).until(() -> JobInfo.holder(jobFolder()).isEmpty());
  }

  private String said(int exitCode, String... arguments) throws Exception {
    try (RunningPliant command = RunningPliant.start(folder, arguments)) {
      assertThat(command.awaitExit()).as(command::said).isEqualTo(exitCode);
      return command.out() + command.err();
    }
  }

  @Test
  void aSubmittedJobGoesOnByItselfUntilItIsStopped() throws Exception {
    String job = RunningPliant.pacedJob(folder, 60_000, folder.resolve("never")).toString();
    assertThat(said(0, "submit", job))
        .contains("job default/count runs on this machine, by process ")
        .contains("'pliant logs count -f'");
    assertThat(JobInfo.holder(jobFolder())).isPresent();
    assertThat(said(1, "submit", job)).contains("is running already, by process ");

    Path log = jobFolder().resolve("logs/supervisor.log");
    await()
        .atMost(RunningPliant.BOUND)
        .until(() -> Files.readString(log).contains("/60,000 records"));
    assertThat(said(0, "stop", "count")).isEqualTo("job default/count is stopped.\n");
    assertThat(JobInfo.holder(jobFolder())).as("who has a stopped job").isEmpty();
    assertThat(Files.readString(log)).contains("job default/count stopped: ");
    assertThat(said(1, "submit", job)).contains("has run before").contains("--resume");
  }

  @Test
  void followsASubmittedJobToItsEnd() throws Exception {
    String job = RunningPliant.countJob(folder, 1_000, 1).toString();
    String followed = said(0, "submit", job, "--follow");
    assertThat(followed)
        .contains("[worker-0] worker worker-0: ")
        .contains("job default/count succeeded: 1,000 of 1,000 records in ")
        .contains("job default/count: Succeeded, ");
  }

  @Test
  void whatMeansNothingIsSaidByTheCommandItself() throws Exception {
    Path job = RunningPliant.countJob(folder, 1_000, 1);
    Files.writeString(job, Files.readString(job).replace("replicas:", "replcas:"));
    assertThat(said(2, "submit", job.toString())).contains("unknown key 'replcas'");
    assertThat(jobFolder()).doesNotExist();
  }
}

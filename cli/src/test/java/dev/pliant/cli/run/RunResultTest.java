package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.State;
import dev.pliant.cli.run.RunResult.Outcome;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunResultTest {
  private static final JobId JOB = new JobId("default", "digits");
  private static final Dataset DONE = new Dataset("d", 9, 0, 0, 1, 1, -1, 0, State.END, "");
  private static final Dataset LEFT =
      new Dataset("train", 88_000, 0, 12_000, 0, 1, -1, 0, State.OPEN, "");
  private static final Dataset FAILED =
      new Dataset("eval", 1, 0, 1, 0, 1, -1, 0, State.FAILED, "shard 7 failed");

  @Test
  void succeedsWhenTheJobDidAndAllDataIsDone() {
    assertThat(RunResult.reasons(Moments.job(JobPhase.SUCCEEDED, "").datasets(DONE).moment()))
        .isEmpty();
    assertThat(RunResult.reasons(Moments.job(JobPhase.SUCCEEDED, "").moment())).isEmpty();
  }

  @Test
  void saysWhatIsLeftWhenAllWorkersEndedWell() {
    assertThat(
            RunResult.reasons(Moments.job(JobPhase.SUCCEEDED, "").datasets(LEFT, FAILED).moment()))
        .containsExactly(
            "all workers have ended, but 12,000 of the 100,000 records of dataset 'train' are left.",
            "dataset 'eval' has failed: shard 7 failed.");
  }

  @Test
  void saysWhyAJobFailedOrWasStopped() {
    assertThat(
            RunResult.reasons(
                Moments.job(JobPhase.FAILED, "worker-3 used up its restarts.")
                    .datasets(LEFT)
                    .moment()))
        .containsExactly("the job failed: worker-3 used up its restarts.");
    assertThat(RunResult.reasons(Moments.job(JobPhase.STOPPED, "by ada").moment()))
        .containsExactly("the job was stopped: by ada.");
    assertThat(RunResult.reasons(null))
        .containsExactly("no master answers, so how far the data is cannot be told.");
  }

  @Test
  void speaksToPeopleAndToPrograms() {
    JobSnapshot moment =
        Moments.job(JobPhase.SUCCEEDED, "")
            .datasets(DONE)
            .metric("accuracy", 0.97)
            .world(3, "worker-0", "worker-2")
            .node("worker-0", NodePhase.SUCCEEDED, "succeeded", "")
            .replacement("worker-2", "worker-1")
            .moment();

    RunResult result =
        RunResult.of(JOB, Outcome.SUCCEEDED, List.of(), moment, Duration.ofMillis(4_500), 1);

    assertThat(result.exitCode()).isZero();
    assertThat(result.summary())
        .containsExactly(
            "job default/digits succeeded: 9 of 9 records in 4.5 s (2 a second).",
            "reached: accuracy 0.9700.",
            "survived: 2 changes of the group, 0.3 s lost to them; 1 worker relaunched; master"
                + " restarted 1 time.");
    assertThat(result.json())
        .isEqualTo(
            "{\"job\":\"default/digits\",\"outcome\":\"succeeded\",\"reasons\":[],"
                + "\"recordsDone\":9,\"recordsTotal\":9,\"seconds\":4.5,"
                + "\"metrics\":{\"accuracy\":0.97},\"changes\":2,\"pausedSeconds\":0.25,"
                + "\"relaunches\":1,\"masterRestarts\":1,\"workers\":{"
                + "\"worker-0\":\"succeeded: succeeded\",\"worker-2\":\"running\"}}");
  }

  @Test
  void aSuccessThatDoesNotVerifyIsNone() {
    RunResult success =
        RunResult.of(JOB, Outcome.SUCCEEDED, List.of(), null, Duration.ofSeconds(1), 0);

    assertThat(success.verified(true)).isEqualTo(success);
    assertThat(success.verified(false).outcome()).isEqualTo(Outcome.FAILED);
    assertThat(success.verified(false).exitCode()).isEqualTo(1);
    assertThat(success.verified(false).reasons()).hasSize(1);
  }

  @Test
  void aSignalIsTheExitCode() {
    RunResult stopped =
        RunResult.of(JOB, Outcome.STOPPED, List.of(), null, Duration.ofSeconds(1), 0);

    assertThat(stopped.endedBy(2).exitCode()).isEqualTo(130);
    assertThat(stopped.endedBy(15).exitCode()).isEqualTo(143);
    assertThat(stopped.exitCode()).isEqualTo(1);
  }
}

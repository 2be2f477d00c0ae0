package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.State;
import dev.pliant.cli.run.RunResult.Outcome;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPhase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RunResultTest {
  private static final JobSnapshot ALL_DONE =
      snapshot(new Dataset("d", 9, 0, 0, 0, 1, -1, 0, State.END, ""));

  @Test
  void succeedsWhenAllWorkersEndedWellAndAllDataIsDone() {
    assertThat(RunResult.reasons(2, Map.of("a", 0, "b", 0), ALL_DONE)).isEmpty();
    assertThat(RunResult.reasons(1, Map.of("a", 0), snapshot())).isEmpty();
  }

  @Test
  void failsWithAReasonForEverythingThatIsWrong() {
    Map<String, Integer> ends = new LinkedHashMap<>();
    ends.put("worker-0", 3);
    ends.put("worker-1", 137);
    JobSnapshot left =
        snapshot(
            new Dataset("train", 88_000, 0, 12_000, 0, 1, -1, 0, State.OPEN, ""),
            new Dataset("eval", 1, 0, 1, 0, 1, -1, 0, State.FAILED, "shard 7 failed"));

    assertThat(RunResult.reasons(3, ends, left))
        .containsExactly(
            "worker worker-0 failed with exit code 3.",
            "worker worker-1 was killed (SIGKILL).",
            "how 1 worker ended is not known.",
            "all workers have ended, but 12,000 of the 100,000 records of dataset 'train' are left.",
            "dataset 'eval' has failed: shard 7 failed.");
    assertThat(RunResult.reasons(1, Map.of("a", 0), null))
        .containsExactly("no master answers, so how far the data is cannot be told.");
  }

  @Test
  void speaksToPeopleAndToPrograms() {
    RunResult result =
        new RunResult(
            new JobId("default", "count"),
            Outcome.SUCCEEDED,
            List.of(),
            200_000,
            200_000,
            Duration.ofMillis(12_500),
            1,
            Map.of("worker-0", 0));

    assertThat(result.exitCode()).isZero();
    assertThat(result.summary())
        .isEqualTo(
            "job default/count succeeded: 200,000 of 200,000 records in 12.5 s (16,000 a second),"
                + " 1 worker, master restarted 1 time.");
    assertThat(result.json())
        .isEqualTo(
            "{\"job\":\"default/count\",\"outcome\":\"succeeded\",\"reasons\":[],"
                + "\"recordsDone\":200000,\"recordsTotal\":200000,\"seconds\":12.5,"
                + "\"masterRestarts\":1,\"workers\":{\"worker-0\":0}}");
  }

  @Test
  void aSuccessThatDoesNotVerifyIsNone() {
    RunResult success =
        new RunResult(
            new JobId("default", "count"),
            Outcome.SUCCEEDED,
            List.of(),
            9,
            9,
            Duration.ofSeconds(1),
            0,
            Map.of());

    assertThat(success.verified(true)).isEqualTo(success);
    assertThat(success.verified(false).outcome()).isEqualTo(Outcome.FAILED);
    assertThat(success.verified(false).exitCode()).isEqualTo(1);
    assertThat(success.verified(false).reasons()).hasSize(1);
  }

  private static JobSnapshot snapshot(Dataset... datasets) {
    return new JobSnapshot(
        1,
        JobPhase.RUNNING,
        "",
        new JobSnapshot.Counts(0, 0, 0),
        List.of(),
        JobSnapshot.World.NONE,
        List.of(datasets),
        0,
        0,
        Map.of(),
        "");
  }
}

package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.Json;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.JobSnapshot.Counts;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import dev.pliant.cli.jobs.JobSnapshot.World;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What `get` and `describe` print stands in files. Run with `-Dpliant.golden=write` to write them
/// anew.
final class JobTextTest {
  private static final Path GOLDEN = Path.of("src/test/resources/jobs");
  private static final Instant NOW = Instant.parse("2026-01-01T00:05:00Z");

  private static final JobSnapshot MOMENT =
      new JobSnapshot(
          2,
          JobPhase.RUNNING,
          "",
          new Counts(3, 1, 4),
          List.of(
              node("worker-0", NodePhase.RUNNING, "", "", "", 0),
              node("worker-1", NodePhase.FAILED, "killed", "its process was killed", "", 120_000),
              node("worker-2", NodePhase.RUNNING, "", "", "worker-1", 0)),
          new World(
              4,
              List.of("worker-0", "worker-2"),
              false,
              List.of(),
              NOW.toEpochMilli() - 12_000,
              380),
          List.of(
              new Dataset("digits", 6_400, 0, 12_800, 1, 3, 100, 300, JobSnapshot.State.OPEN, "")),
          2,
          0,
          Map.of("loss", 0.25, "accuracy", 0.91),
          "");

  private static Node node(
      String name, NodePhase phase, String reason, String message, String replaces, long ended) {
    long began = NOW.toEpochMilli() - 240_000;
    return new Node(
        name,
        phase,
        reason,
        message,
        replaces,
        0,
        false,
        began,
        began + 500,
        ended == 0 ? 0 : began + ended,
        0.75,
        212.4,
        Map.of("train", 9_000L, "wait", 1_000L));
  }

  private static JobInfo info(
      String job, State state, Optional<JobSnapshot> snapshot, Optional<PastRun> result) {
    return new JobInfo(
        JobId.parse(job),
        new Place.Folder(Path.of("/jobs").resolve(job), Optional.empty()),
        state,
        NOW.minusSeconds(300),
        snapshot,
        result);
  }

  private static final JobInfo RUNNING =
      info("digits", State.RUNNING, Optional.of(MOMENT), Optional.empty());
  private static final JobInfo ENDED =
      info(
          "team/count",
          State.FAILED,
          Optional.empty(),
          Optional.of(new PastRun("failed", List.of("it was too hard."), 88, 100, 4.5, 2)));
  private static final JobInfo CRASHED =
      info("old", State.CRASHED, Optional.empty(), Optional.empty());

  private static final Place.Cluster CLUSTER =
      new Place.Cluster(
          "2 of 3 workers run",
          new Place.Workers(2, 3, 1, 4),
          1,
          "AllreduceStrategy",
          "manual",
          "digits-master-0",
          "",
          Optional.empty(),
          List.of(
              new Place.Condition("Ready", "True", "Trains", "it trains", NOW.minusSeconds(90)),
              new Place.Condition(
                  "JournalVolatile", "True", "NoClaim", "no claim", NOW.minusSeconds(90))),
          List.of(
              pod("digits-master-0", "master", "Running", "", "", 1),
              pod("digits-worker-0", "worker-0", "Running", "", "", 0),
              pod(
                  "digits-worker-1",
                  "worker-1",
                  "Pending",
                  "ImagePullBackOff",
                  "no such image\nat all",
                  0)));

  private static Place.PodView pod(
      String name, String node, String phase, String reason, String message, int restarts) {
    return new Place.PodView(
        name, node, phase, reason, message, restarts, "machine-1", NOW.minusSeconds(100));
  }

  private static JobInfo inCluster(State state, Place.Cluster place, Optional<JobSnapshot> heard) {
    return new JobInfo(
        new JobId("team", "digits"), place, state, NOW.minusSeconds(300), heard, Optional.empty());
  }

  @Test
  void saysTheSameOfACluster() throws IOException {
    JobInfo live = inCluster(State.RUNNING, CLUSTER, Optional.of(MOMENT));
    JobInfo silent = inCluster(State.RUNNING, CLUSTER, Optional.empty());
    check("cluster-get.txt", JobText.table(List.of(live, silent), false, "team", NOW));
    check("cluster-get-wide.txt", JobText.table(List.of(live, silent), true, "other", NOW));
    check("cluster-describe-live.txt", JobText.description(live, List.of(), NOW));
    check("cluster-describe-silent.txt", JobText.description(silent, List.of(), NOW));
    check("cluster-live.yaml", Json.yaml(json -> JobJson.job(json, live)).lines().toList());
    check("cluster-silent.yaml", Json.yaml(json -> JobJson.job(json, silent)).lines().toList());
  }

  @Test
  void listsJobs() throws IOException {
    check("get.txt", JobText.table(List.of(RUNNING, ENDED, CRASHED), false, "default", NOW));
    check("get-wide.txt", JobText.table(List.of(RUNNING, ENDED, CRASHED), true, "default", NOW));
  }

  @Test
  void describesAJob() throws IOException {
    check("describe-running.txt", JobText.description(RUNNING, List.of(), NOW));
    check("describe-ended.txt", JobText.description(ENDED, List.of(), NOW));
    check("describe-crashed.txt", JobText.description(CRASHED, List.of(), NOW));
  }

  @Test
  void speaksToPrograms() throws IOException {
    check("get.json", List.of(Json.object(json -> JobJson.list(json, List.of(RUNNING, ENDED)))));
    check("get.yaml", Json.yaml(json -> JobJson.job(json, RUNNING)).lines().toList());
  }

  private static void check(String name, List<String> lines) throws IOException {
    String text = String.join("\n", lines) + "\n";
    Path golden = GOLDEN.resolve(name);
    if ("write".equals(System.getProperty("pliant.golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(golden, text);
    }
    assertThat(text).isEqualTo(Files.readString(golden));
  }
}

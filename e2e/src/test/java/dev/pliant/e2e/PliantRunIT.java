package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.JobId;
import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The command line as a newcomer calls it, in a copy of the tree that was never built.
class PliantRunIT {
  private static final Duration BOUND = Duration.ofMinutes(5);

  private static Path tree;

  @TempDir Path state;

  @BeforeAll
  static void build() {
    tree = FreshTree.built().path();
    assertThat(FreshTree.built().firstUse()).contains("building (first use", "pliant 0.");
  }

  private Commands.Result pliant(String... arguments) {
    List<String> command = new ArrayList<>(List.of("./pliant"));
    command.addAll(List.of(arguments));
    return Commands.run(
        tree, Map.of("XDG_STATE_HOME", state.toString()), BOUND, command.toArray(String[]::new));
  }

  private Process start(Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("./pliant"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(tree.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("XDG_STATE_HOME", state.toString());
    return builder.start();
  }

  private Path job(String name) {
    return state.resolve("pliant/jobs/default").resolve(name);
  }

  private long masterPid(Path job) throws IOException {
    return JsonReader.read(Files.readAllBytes(job.resolve("master.json"))).number("pid", 0);
  }

  /// Waits until the run shows that records were done.
  private static void awaitProgress(Path output) {
    Awaitility.await("progress")
        .atMost(Duration.ofMinutes(2))
        .until(() -> Files.readString(output).matches("(?s).*[1-9][0-9,]*/200,000 records.*"));
  }

  @Test
  void countsEveryRecordOnceThoughTheMasterIsKilledOnTheWay() throws Exception {
    Path output = state.resolve("output");
    // Half a minute of work: its master is to be killed long before it is done.
    Process run = start(output, "run", "-e", "COUNT_DELAY_MS=150", "examples/count/job.yaml");
    awaitProgress(output);
    long first = masterPid(job("count"));
    ProcessHandle.of(first).orElseThrow().destroyForcibly();
    assertThat(run.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(output))
        .contains("epoch 2 took over")
        .contains("verify: every record of every epoch was completed exactly once.")
        .contains("200,000 of 200,000 records");
    assertThat(run.exitValue()).isZero();

    assertThat(pliant("verify", "count").output()).contains("exactly once");
    assertThat(pliant("replay", "count").orThrow("replay").output())
        .contains("replay: no difference.");
    assertThat(pliant("verify", "count", "--records", "7:8").output())
        .contains("record 7", "leased to worker-", "done by worker-");
    Commands.Result beyond = pliant("verify", "count", "--records", "199999:200001");
    assertThat(beyond.exit()).isEqualTo(1);
    assertThat(beyond.output()).contains("has records 0 to 199,999");
    Commands.Result again = pliant("run", "examples/count/job.yaml");
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.output()).contains("--resume", "--replace");
  }

  @Test
  void trainsDigitsWhileWorkersComeGoAndDie() throws Exception {
    Needs.that(Pythons.withTorch().isPresent(), "a Python with PyTorch");
    Path output = state.resolve("output");
    PacedDigits digits = PacedDigits.in(state.resolve("told"));
    List<String> command = new ArrayList<>(List.of("run"));
    digits
        .environment(0.5, 45)
        .forEach((name, value) -> command.addAll(List.of("-e", name + "=" + value)));
    command.add("examples/digits/job.yaml");
    Process run = start(output, command.toArray(String[]::new));
    awaitOutput(output, "step [1-9]");
    assertThat(pliant("scale", "digits", "--workers", "3").orThrow("scale").output())
        .contains("from 2 to 3 workers");
    awaitOutput(output, "world \\d+: 3 workers");
    assertThat(pliant("get", "jobs").output()).containsPattern("digits +Running");
    killAgent("worker-1");
    awaitOutput(output, "worker-3 takes the place of worker-1");
    ProcessHandle.of(masterPid(job("digits"))).orElseThrow().destroyForcibly();
    awaitOutput(output, "epoch 2 took over");
    killAgent("worker-0");
    awaitOutput(output, "worker-4 takes the place of worker-0");
    digits.hurry();
    assertThat(run.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(output))
        .contains("verify: every record of every epoch was completed exactly once.")
        .containsPattern("reached: accuracy (0\\.9[0-9]+|1\\.0+)")
        .contains("2 workers relaunched");
    assertThat(run.exitValue()).isZero();
    assertThat(pliant("events", "digits").output()).contains("world", "worker-3");
    Replays.assertNoDifference(new JobId("default", "digits"), job("digits"));
  }

  private void killAgent(String node) throws IOException {
    Path agent = job("digits").resolve("nodes/" + node + ".json");
    long pid = JsonReader.read(Files.readAllBytes(agent)).number("pid");
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
  }

  private static void awaitOutput(Path output, String pattern) {
    Awaitility.await(pattern)
        .atMost(Duration.ofMinutes(3))
        .until(() -> Files.readString(output).matches("(?s).*" + pattern + ".*"));
  }
}

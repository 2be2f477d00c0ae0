package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.Terminal;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.State;
import dev.pliant.model.JobPhase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What the user sees while a job runs.
final class ProgressTest {
  private static final long SECOND = 1_000_000_000L;

  static Stream<Arguments> lines() {
    Dataset half = new Dataset("train", 61_500, 4_000, 34_500, 0, 1, -1, 0, State.OPEN, "");
    return Stream.of(
        arguments("before there is a master", null, 0, 0, "count  starting"),
        arguments(
            "before there is a dataset",
            snapshot(1, List.of(), 2, 0, ""),
            0,
            0,
            "count  waits for a dataset · 2 workers · master epoch 1"),
        arguments(
            "on the way",
            snapshot(1, List.of(half), 2, 8, ""),
            12_345,
            0,
            "count  61,500/100,000 records (61 %) · 12,345/s · 4 s left · 2 workers · 8 shards out"
                + " · master epoch 1"),
        arguments(
            "without a master",
            snapshot(1, List.of(half), 1, 1, ""),
            0,
            400,
            "count  61,500/100,000 records (61 %) · no master for 0.4 s · 0/s · 1 worker"
                + " · 1 shard out · master epoch 1"),
        arguments(
            "two datasets",
            snapshot(
                3,
                List.of(half, new Dataset("b", 100_000, 0, 0, 0, 1, -1, 0, State.END, "")),
                1,
                1,
                ""),
            100,
            0,
            "count  161,500/200,000 records (80 %) · 100/s · 6 min 25 s left · 1 worker"
                + " · 1 shard out · master epoch 3"),
        arguments(
            "at the end",
            snapshot(1, List.of(new Dataset("b", 10, 0, 0, 0, 1, -1, 0, State.END, "")), 0, 0, ""),
            100,
            0,
            "count  10/10 records (100 %) · 100/s · 0 workers · 0 shards out · master epoch 1"),
        arguments(
            "with a full disk",
            snapshot(1, List.of(half), 2, 8, "no space left"),
            5,
            0,
            "count  61,500/100,000 records (61 %) · journal: no space left · 5/s · 2 h 8 min left"
                + " · 2 workers · 8 shards out · master epoch 1"));
  }

  private static JobSnapshot snapshot(
      long epoch, List<Dataset> datasets, int workersLive, long shardsOut, String trouble) {
    return new JobSnapshot(
        epoch,
        JobPhase.RUNNING,
        "",
        new JobSnapshot.Counts(0, 0, 0),
        List.of(),
        JobSnapshot.World.NONE,
        datasets,
        workersLive,
        shardsOut,
        Map.of(),
        trouble);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lines")
  void saysHowFarTheJobIs(
      String name, @Nullable JobSnapshot snapshot, double perSecond, long awayMillis, String want) {
    assertThat(ProgressLine.of("count", snapshot, perSecond, Duration.ofMillis(awayMillis)))
        .isEqualTo(want);
  }

  @Test
  void tellsSpeedFromTheLastSeconds() {
    Speed speed = new Speed();
    assertThat(speed.perSecond()).isZero();
    speed.note(0, 0);
    assertThat(speed.perSecond()).isZero();
    speed.note(SECOND, 100);
    assertThat(speed.perSecond()).isEqualTo(100);
    for (int second = 2; second <= 20; second++) {
      speed.note(second * SECOND, 100 + 1_000L * (second - 1));
    }
    assertThat(speed.perSecond()).isEqualTo(1_000);
  }

  @Test
  void startsSpeedAnewWhenACheckpointIsRestored() {
    Speed speed = new Speed();
    speed.note(0, 0);
    speed.note(SECOND, 1_000);
    speed.note(2 * SECOND, 500);
    assertThat(speed.perSecond()).isZero();
    speed.note(3 * SECOND, 700);
    assertThat(speed.perSecond()).isEqualTo(200);
  }

  @Test
  void drawsOverOneLineOnATerminal() {
    StringWriter out = new StringWriter();
    Screen screen = new Screen(new PrintWriter(out), new Terminal(true, false), 20);

    screen.progress("one", 0);
    screen.progress("one", 1);
    screen.say("note");
    screen.progress("a line that is longer than the terminal", 2);
    screen.endProgress();
    screen.say("end");

    String clear = "\r\u001b[K";
    assertThat(out)
        .hasToString(
            clear + "one" + clear + "note\none" + clear + "a line that is lon…" + clear + "end\n");
  }

  @Test
  void printsALineEveryTwoSecondsElsewhere() {
    StringWriter out = new StringWriter();
    Screen screen = new Screen(new PrintWriter(out), Terminal.PLAIN, 20);

    for (int tenth = 0; tenth < 50; tenth++) {
      screen.progress("at " + tenth, tenth * SECOND / 10);
    }
    screen.worker(1, "worker-1", "hello");
    screen.warn("careful");
    screen.endProgress();

    assertThat(out).hasToString("at 0\nat 20\nat 40\n[worker-1] hello\ncareful\n");
  }

  @Test
  void keepsAWorkerFromMovingTheCursor() {
    StringWriter out = new StringWriter();
    Screen screen = new Screen(new PrintWriter(out), new Terminal(true, true), 80);

    screen.worker(0, "worker-0", "50 %\r100 %\u0007");

    assertThat(out).hasToString("\u001b[36m[worker-0]\u001b[0m 50 %100 %\n");
  }
}

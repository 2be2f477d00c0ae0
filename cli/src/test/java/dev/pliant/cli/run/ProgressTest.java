package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.Terminal;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.State;
import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.model.NodePhase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What the user sees while a job runs.
final class ProgressTest {
  private static final long SECOND = 1_000_000_000L;

  private static final Dataset HALF =
      new Dataset("train", 61_500, 4_000, 34_500, 0, 1, -1, 0, State.OPEN, "");

  static Stream<Arguments> lines() {
    Dataset done = new Dataset("b", 100_000, 0, 0, 1, 1, -1, 0, State.END, "");
    Dataset steps = new Dataset("digits", 6_400, 0, 12_800, 1, 3, 100, 300, State.OPEN, "");
    return Stream.of(
        arguments("before there is a master", null, 0, 0, "count  starting"),
        arguments(
            "before there is a worker",
            Moments.running().moment(),
            0,
            0,
            "count  waits for its workers · 0 of 2 workers · master epoch 1"),
        arguments(
            "a script that uses nothing of Pliant's",
            workers(2).moment(),
            0,
            0,
            "count  running · 2 workers · master epoch 1"),
        arguments(
            "on the way",
            workers(2).datasets(HALF).shardsOut(8).moment(),
            12_345,
            0,
            "count  61,500/100,000 records (61 %) · 12,345/s · 4 s left · 2 workers · 8 shards out"
                + " · master epoch 1"),
        arguments(
            "in steps, with what the training says",
            workers(3)
                .wish(4)
                .datasets(steps)
                .metric("accuracy", 0.5)
                .metric("loss", 1.25)
                .world(2, "worker-0")
                .reforming()
                .moment(),
            640,
            0,
            "count  step 100/300 · epoch 2/3 · 6,400/19,200 records (33 %) · loss 1.2500 · accuracy"
                + " 0.5000 · 640/s · 20 s left · 3 of 4 workers, changing · master epoch 1"),
        arguments(
            "without a master",
            workers(1).wish(1).datasets(HALF).shardsOut(1).moment(),
            0,
            400,
            "count  61,500/100,000 records (61 %) · no master for 0.4 s · 0/s · 1 worker"
                + " · 1 shard out · master epoch 1"),
        arguments(
            "two datasets",
            workers(2).datasets(HALF, done).epoch(3).moment(),
            100,
            0,
            "count  161,500/200,000 records (80 %) · 100/s · 6 min 25 s left · 2 workers"
                + " · master epoch 3"),
        arguments(
            "with a full disk",
            workers(2).datasets(HALF).trouble("no space left").moment(),
            5,
            0,
            "count  61,500/100,000 records (61 %) · journal: no space left · 5/s · 2 h 8 min left"
                + " · 2 workers · master epoch 1"));
  }

  private static Moments workers(int count) {
    Moments moments = Moments.running();
    for (int i = 0; i < count; i++) {
      moments.node("worker-" + i, NodePhase.RUNNING, "", "");
    }
    return moments;
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
    screen.worker(1, "worker-1", LinePiece.whole("hello"));
    screen.warn("careful");
    screen.endProgress();

    assertThat(out).hasToString("at 0\nat 20\nat 40\n[worker-1] hello\ncareful\n");
  }

  @Test
  void putsALongLineTogetherUnlessSomethingElseIsShown() {
    StringWriter out = new StringWriter();
    Screen screen = new Screen(new PrintWriter(out), new Terminal(true, false), 80);

    screen.progress("at 1", 0);
    screen.worker(0, "w", new LinePiece("one", true, false));
    screen.worker(0, "w", new LinePiece(" two", false, false));
    screen.progress("at 2", 1);
    screen.worker(0, "w", new LinePiece("three", false, false));
    screen.say("note");
    screen.worker(0, "w", new LinePiece("four", false, true));
    screen.progress("at 2", 2);

    String clear = "\r\u001b[K";
    assertThat(out)
        .hasToString(
            clear
                + "at 1"
                + clear
                + "[w] one two\n"
                + clear
                + "at 2"
                + clear
                + "[w] three\nnote\n[w] four\n"
                + clear
                + "at 2");
  }

  @Test
  void keepsAWorkerFromMovingTheCursor() {
    StringWriter out = new StringWriter();
    Screen screen = new Screen(new PrintWriter(out), new Terminal(true, true), 80);

    screen.worker(0, "worker-0", LinePiece.whole("50 %\r100 %\u0007"));

    assertThat(out).hasToString("\u001b[36m[worker-0]\u001b[0m 50 %100 %\n");
  }
}

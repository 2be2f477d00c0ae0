package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.JobId;
import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A real training on its bad day: whatever is killed, stopped or scaled, it goes on, ends, reaches
/// its accuracy, and every record of every epoch is trained once. `-Dpliant.chaos=100` for the long
/// form, `-Dpliant.seed=…` for the same day again.
@Timeout(value = 3, unit = TimeUnit.HOURS) // It is told how often.
class ChaosIT {
  private static final JobId JOB = new JobId("default", "chaos");
  private static final int EVENTS = Integer.getInteger("pliant.chaos", 15);
  private static final int MOST_WORKERS = 4;

  /// Of 24 steps each: enough for the accuracy, and 38 s of training for each event.
  private static final int EPOCHS = Math.max(60, 4 * EVENTS);

  private static final double SECONDS_PER_STEP = 0.4;

  /// Records from one event to the next: ten steps.
  private static final int MOST_BETWEEN = 640;

  /// What examples/digits promises.
  private static final double ACCURACY = 0.97;

  /// How long training may stand still after one event: the longest bound on the way is the silence
  /// after which an agent counts as lost, plus the start of another.
  private static final Duration STANDSTILL = Duration.ofMinutes(2);

  private static final Pattern REACHED =
      Pattern.compile("accuracy[^0-9]{1,12}(0\\.\\d+|1(?:\\.0+)?)");

  @TempDir Path state;

  private enum Happening {
    KILL_WORKER,
    KILL_AGENT,
    KILL_MASTER,
    STOP_WORKER,
    STOP_AGENT,
    STOP_MASTER,
    SCALE
  }

  @Test
  void trainsEveryRecordOnceToItsAccuracyWhateverHappens() throws Exception {
    Needs.that(Pythons.withTorch().isPresent(), "a Python with torch");
    long seed = Long.getLong("pliant.seed", System.nanoTime());
    System.out.printf("ChaosIT: %d events, seed %d%n", EVENTS, seed);
    SplittableRandom random = new SplittableRandom(seed);
    PacedDigits digits = PacedDigits.in(state.resolve("told"));
    try (TrainingRun run =
        TrainingRun.start(
            state,
            JOB.name(),
            digits.environment(SECONDS_PER_STEP, EPOCHS),
            "examples/digits/job.yaml")) {
      run.awaitProgress(0, 1, STANDSTILL, "its start");
      long before = 0;
      int happened = 0;
      for (Happening happening : deal(random)) {
        before = run.recordsDone().orElse(before);
        Awaitility.await("somebody to whom can happen: " + happening)
            .atMost(STANDSTILL)
            .until(() -> !run.isAlive() || happen(happening, run, random));
        happened++;
        System.out.printf("ChaosIT: %d %s at %,d records%n", happened, happening, before);
        run.awaitProgress(
            before,
            random.nextInt(1, MOST_BETWEEN),
            STANDSTILL,
            "%s, the event %d of seed %d".formatted(happening, happened, seed));
        assertThat(run.isAlive()).as("before all has happened: " + run.tail()).isTrue();
      }
      digits.hurry();
      assertThat(run.awaitExit(Duration.ofMinutes(10))).as(run.tail()).isZero();
      assertThat(run.output()).contains("every record of every epoch was completed exactly once");
      assertThat(accuracy(run.output())).isGreaterThanOrEqualTo(ACCURACY);
      assertThat(run.agents()).as("agents left behind").isEmpty();
      Replays.assertNoDifference(JOB, run.folder());
    }
  }

  /// Each kind as often as the others, give or take one, in any order.
  private static List<Happening> deal(SplittableRandom random) {
    List<Happening> dealt = new ArrayList<>();
    while (dealt.size() < EVENTS) {
      List<Happening> deck = new ArrayList<>(List.of(Happening.values()));
      while (!deck.isEmpty() && dealt.size() < EVENTS) {
        dealt.add(deck.remove(random.nextInt(deck.size())));
      }
    }
    return dealt;
  }

  /// Does it, unless there is nobody to do it to.
  private static boolean happen(Happening happening, TrainingRun run, SplittableRandom random)
      throws IOException {
    switch (happening) {
      case SCALE -> {
        if (run.job().isEmpty()) {
          return false;
        }
        run.scale(random.nextInt(1, MOST_WORKERS + 1));
        return true;
      }
      case KILL_MASTER, STOP_MASTER -> {
        ProcessHandle master = run.master();
        signal(master, happening == Happening.KILL_MASTER);
        return true;
      }
      case KILL_AGENT, STOP_AGENT, KILL_WORKER, STOP_WORKER -> {
        List<ProcessHandle> agents = run.agents();
        if (agents.isEmpty()) {
          return false;
        }
        ProcessHandle agent = agents.get(random.nextInt(agents.size()));
        boolean kill = happening == Happening.KILL_AGENT || happening == Happening.KILL_WORKER;
        if (happening == Happening.KILL_AGENT || happening == Happening.STOP_AGENT) {
          signal(agent, kill);
          return true;
        }
        List<ProcessHandle> workers = agent.children().toList();
        if (workers.isEmpty()) {
          return false;
        }
        signal(workers.get(random.nextInt(workers.size())), kill);
        return true;
      }
    }
    throw new AssertionError(happening);
  }

  private static void signal(ProcessHandle process, boolean kill) {
    TrainingRun.signal(process, kill ? "KILL" : "STOP");
  }

  private static double accuracy(String output) {
    Matcher matcher = REACHED.matcher(output);
    double reached = 0;
    while (matcher.find()) {
      reached = Double.parseDouble(matcher.group(1));
    }
    return reached;
  }
}

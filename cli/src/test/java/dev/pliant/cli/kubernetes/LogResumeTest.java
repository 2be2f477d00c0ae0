package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

final class LogResumeTest {
  @Test
  void takesTheTextBehindTheTime() {
    LogResume resume = new LogResume();
    assertThat(resume.since()).isEmpty();
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01.000000007Z step 1 of 3")).contains("step 1 of 3");
    assertThat(resume.take("2026-01-01T00:00:02Z ")).contains("");
    assertThat(resume.take("2026-01-01T00:00:03Z")).contains("");
    assertThat(resume.since()).contains("2026-01-01T00:00:03Z");
    resume.begin();
    assertThat(resume.take("unable to retrieve container logs"))
        .contains("unable to retrieve container logs");
  }

  @Test
  void linesOfTheSameTimeAreAllTakenAndOnce() {
    LogResume resume = new LogResume();
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01Z a")).contains("a");
    assertThat(resume.take("2026-01-01T00:00:01Z a")).contains("a");

    assertThat(resume.since()).contains("2026-01-01T00:00:01Z");
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:00.5Z before")).isEmpty();
    assertThat(resume.take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(resume.take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(resume.take("2026-01-01T00:00:01Z b")).contains("b");

    assertThat(resume.since()).contains("2026-01-01T00:00:01Z");
    resume.begin();
    for (int i = 0; i < 3; i++) {
      assertThat(resume.take("2026-01-01T00:00:01Z again")).isEmpty();
    }
    assertThat(resume.take("2026-01-01T00:00:01Z c")).contains("c");
  }

  @Test
  void whatBearsNoTimeOfItsOwnGoesWithItsLine() {
    LogResume resume = new LogResume();
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01Z 10%\r20%\r30%")).contains("10%\r20%\r30%");
    assertThat(resume.takeMore("a further piece")).contains("a further piece");

    assertThat(resume.since()).contains("2026-01-01T00:00:01Z");
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01Z 10%\r20%\r30%")).isEmpty();
    assertThat(resume.takeMore("a further piece")).isEmpty();
    assertThat(resume.take("2026-01-01T00:00:02Z 40%\r")).contains("40%\r");
  }

  @Test
  void whatTheServerSaysOfItselfIsTakenOnce() {
    String gone = "unable to retrieve container logs for containerd://c";
    LogResume resume = new LogResume();
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01Z a")).contains("a");
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(resume.take("failed to read")).contains("failed to read");
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(resume.take("failed to read")).isEmpty();
    resume.begin();
    assertThat(resume.take(gone)).contains(gone);
    resume.begin();
    assertThat(resume.take(gone)).isEmpty();
  }

  /// A long line is kept in parts, each with its time; those from the second on that was asked for
  /// come without one.
  @Test
  void theRestOfALineThatBeganBeforeIsNotTakenAgain() {
    LogResume resume = new LogResume();
    resume.begin();
    assertThat(resume.take("2026-01-01T00:00:00.9Z long line")).contains("long line");
    assertThat(resume.take("2026-01-01T00:00:01.5Z b")).contains("b");
    resume.begin();
    assertThat(resume.take("line")).isEmpty();
    assertThat(resume.take("2026-01-01T00:00:01.5Z b")).isEmpty();
    assertThat(resume.take("2026-01-01T00:00:01.6Z c")).contains("c");
  }

  @Test
  void aServerThatKnowsNoTimesIsHeardOnceToo() {
    LogResume resume = new LogResume();
    resume.begin();
    assertThat(resume.take("a")).contains("a");
    assertThat(resume.take("a")).contains("a");
    assertThat(resume.since()).isEmpty();
    resume.begin();
    assertThat(resume.take("a")).isEmpty();
    assertThat(resume.take("a")).isEmpty();
    assertThat(resume.take("b")).contains("b");
  }

  /// However often the connection is cut: every line once, in order, also where lines bear the same
  /// time. A server begins anew at the whole second that was asked for.
  @Test
  void everyLineOnceHoweverOftenTheConnectionIsCut() {
    for (long seed = 0; seed < 200; seed++) {
      RandomGenerator dice = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      List<String> log = new ArrayList<>();
      long nanos = 0;
      for (int i = 0; i < 60; i++) {
        nanos += dice.nextBoolean() ? 0 : dice.nextLong(1, 600_000_000);
        log.add(
            "2026-01-01T00:00:%02d.%09dZ line %d"
                .formatted(nanos / 1_000_000_000, nanos % 1_000_000_000, i));
      }
      LogResume resume = new LogResume();
      List<String> taken = new ArrayList<>();
      for (int tries = 0; taken.size() < log.size(); tries++) {
        String second = resume.since().map(since -> since.substring(0, 19)).orElse("");
        resume.begin();
        int cut = tries > 50 ? log.size() : dice.nextInt(1, 30);
        log.stream()
            .filter(line -> line.substring(0, 19).compareTo(second) >= 0)
            .limit(cut)
            .forEach(line -> resume.take(line).ifPresent(taken::add));
      }
      assertThat(taken)
          .as("seed %d", seed)
          .isEqualTo(log.stream().map(line -> line.substring(line.indexOf(' ') + 1)).toList());
    }
  }
}

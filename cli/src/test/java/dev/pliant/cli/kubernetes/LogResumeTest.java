package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.jobs.LinePiece;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

final class LogResumeTest {
  private LogResume resume = new LogResume();

  /// A line in one piece.
  private Optional<String> take(String line) {
    return resume.take(LinePiece.whole(line)).map(LinePiece::text);
  }

  @Test
  void takesTheTextBehindTheTime() {
    assertThat(resume.since()).isEmpty();
    resume.begin();
    assertThat(take("2026-01-01T00:00:01.000000007Z step 1 of 3")).contains("step 1 of 3");
    assertThat(take("2026-01-01T00:00:02Z ")).contains("");
    assertThat(take("2026-01-01T00:00:03Z")).contains("");
    assertThat(resume.since()).contains("2026-01-01T00:00:03Z");
    resume.begin();
    assertThat(take("unable to retrieve container logs"))
        .contains("unable to retrieve container logs");
  }

  @Test
  void linesOfTheSameTimeAreAllTakenAndOnce() {
    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z a")).contains("a");
    assertThat(take("2026-01-01T00:00:01Z a")).contains("a");

    assertThat(resume.since()).contains("2026-01-01T00:00:01Z");
    resume.begin();
    assertThat(take("2026-01-01T00:00:00.5Z before")).isEmpty();
    assertThat(take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(take("2026-01-01T00:00:01Z b")).contains("b");

    assertThat(resume.since()).contains("2026-01-01T00:00:01Z");
    resume.begin();
    for (int i = 0; i < 3; i++) {
      assertThat(take("2026-01-01T00:00:01Z again")).isEmpty();
    }
    assertThat(take("2026-01-01T00:00:01Z c")).contains("c");
  }

  @Test
  void piecesGoWithTheirLine() {
    resume.begin();
    assertThat(begin("2026-01-01T00:00:01Z 10%\r20%"))
        .contains(new LinePiece("10%\r20%", true, false));
    assertThat(more("\r30%")).contains(new LinePiece("\r30%", false, false));
    assertThat(end("\r40%")).contains(new LinePiece("\r40%", false, true));

    resume.begin();
    assertThat(begin("2026-01-01T00:00:01Z 10%\r20%")).isEmpty();
    assertThat(more("\r30%")).isEmpty();
    assertThat(end("\r40%")).isEmpty();
    assertThat(take("2026-01-01T00:00:02Z 50%\r")).contains("50%\r");
  }

  @Test
  void aLineThatWasCutGoesOnWithItsRest() {
    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z before")).contains("before");
    assertThat(begin("2026-01-01T00:00:01Z abc")).contains(new LinePiece("abc", true, false));
    assertThat(more("def")).contains(new LinePiece("def", false, false));

    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z before")).isEmpty();
    assertThat(begin("2026-01-01T00:00:01Z abc")).isEmpty(); // And is cut again.

    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z before")).isEmpty();
    assertThat(begin("2026-01-01T00:00:01Z ab")).isEmpty();
    assertThat(more("cdefgh")).contains(new LinePiece("gh", false, false));

    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z before")).isEmpty();
    assertThat(begin("2026-01-01T00:00:01Z abcdefgh")).isEmpty();
    assertThat(end("")).contains(new LinePiece("", false, true));
    assertThat(take("2026-01-01T00:00:01Z after")).contains("after");

    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z before")).isEmpty();
    assertThat(begin("2026-01-01T00:00:01Z abcdefgh")).isEmpty();
    assertThat(end("")).isEmpty();
    assertThat(take("2026-01-01T00:00:01Z after")).isEmpty();
  }

  private Optional<LinePiece> begin(String text) {
    return resume.take(new LinePiece(text, true, false));
  }

  private Optional<LinePiece> more(String text) {
    return resume.take(new LinePiece(text, false, false));
  }

  private Optional<LinePiece> end(String text) {
    return resume.take(new LinePiece(text, false, true));
  }

  @Test
  void whatTheServerSaysOfItselfIsTakenOnce() {
    String gone = "unable to retrieve container logs for containerd://c";
    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z a")).contains("a");
    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(take("failed to read")).contains("failed to read");
    resume.begin();
    assertThat(take("2026-01-01T00:00:01Z a")).isEmpty();
    assertThat(take("failed to read")).isEmpty();
    resume.begin();
    assertThat(take(gone)).contains(gone);
    resume.begin();
    assertThat(take(gone)).isEmpty();
  }

  /// A long line is kept in parts, each with its time; those from the second on that was asked for
  /// come without one.
  @Test
  void theRestOfALineThatBeganBeforeIsNotTakenAgain() {
    resume.begin();
    assertThat(take("2026-01-01T00:00:00.9Z long line")).contains("long line");
    assertThat(take("2026-01-01T00:00:01.5Z b")).contains("b");
    resume.begin();
    assertThat(take("line")).isEmpty();
    assertThat(take("2026-01-01T00:00:01.5Z b")).isEmpty();
    assertThat(take("2026-01-01T00:00:01.6Z c")).contains("c");
  }

  @Test
  void aServerThatKnowsNoTimesIsHeardOnceToo() {
    resume.begin();
    assertThat(take("a")).contains("a");
    assertThat(take("a")).contains("a");
    assertThat(resume.since()).isEmpty();
    resume.begin();
    assertThat(take("a")).isEmpty();
    assertThat(take("a")).isEmpty();
    assertThat(take("b")).contains("b");
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
      resume = new LogResume();
      List<String> taken = new ArrayList<>();
      for (int tries = 0; taken.size() < log.size(); tries++) {
        String second = resume.since().map(since -> since.substring(0, 19)).orElse("");
        resume.begin();
        int cut = tries > 50 ? log.size() : dice.nextInt(1, 30);
        log.stream()
            .filter(line -> line.substring(0, 19).compareTo(second) >= 0)
            .limit(cut)
            .forEach(line -> take(line).ifPresent(taken::add));
      }
      assertThat(taken)
          .as("seed %d", seed)
          .isEqualTo(log.stream().map(line -> line.substring(line.indexOf(' ') + 1)).toList());
    }
  }
}

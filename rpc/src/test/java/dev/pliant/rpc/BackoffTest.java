package dev.pliant.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void doublesFromFiftyMillisecondsToTwoSeconds() {
    Backoff backoff = new Backoff(new SplittableRandom(3));
    long longest = 50;
    for (int i = 0; i < 12; i++) {
      assertThat(backoff.next(Duration.ZERO))
          .isBetween(Duration.ofMillis(longest / 2), Duration.ofMillis(longest));
      longest = Math.min(2_000, 2 * longest);
    }
    backoff.reset();
    assertThat(backoff.next(Duration.ZERO)).isLessThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  void waitsAsLongAsTheMasterAsks() {
    Backoff backoff = new Backoff(new SplittableRandom(3));
    assertThat(backoff.next(Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void sameSeedGivesTheSameWaits() {
    Backoff one = new Backoff(new SplittableRandom(9));
    Backoff two = new Backoff(new SplittableRandom(9));
    for (int i = 0; i < 20; i++) {
      assertThat(one.next(Duration.ZERO)).isEqualTo(two.next(Duration.ZERO));
    }
  }
}

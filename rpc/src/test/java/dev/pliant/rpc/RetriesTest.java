package dev.pliant.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RetriesTest {
  @Test
  void doublesFromFiftyMillisecondsToTwoSeconds() {
    Retries retries = new Retries(Backoff.MASTER, new SplittableRandom(3));
    long longest = 50;
    for (int i = 0; i < 12; i++) {
      assertThat(retries.next(Duration.ZERO))
          .isBetween(Duration.ofMillis(longest / 2), Duration.ofMillis(longest));
      longest = Math.min(2_000, 2 * longest);
    }
    retries.reset();
    assertThat(retries.next(Duration.ZERO)).isLessThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  void waitsAsLongAsThePeerAsks() {
    Retries retries = new Retries(Backoff.MASTER, new SplittableRandom(3));
    assertThat(retries.next(Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void sameSeedGivesTheSameWaits() {
    Retries one = new Retries(Backoff.MASTER, new SplittableRandom(9));
    Retries two = new Retries(Backoff.MASTER, new SplittableRandom(9));
    for (int i = 0; i < 20; i++) {
      assertThat(one.next(Duration.ZERO)).isEqualTo(two.next(Duration.ZERO));
    }
  }
}

package dev.pliant.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class PatientAwaitsTest {
  /// JUnit has found it by itself: nothing here says that it should.
  @Test
  void aWaitThatNamesNoBoundHasAMinute() throws ReflectiveOperationException {
    var bound = Awaitility.class.getDeclaredField("defaultWaitConstraint");
    bound.setAccessible(true);
    Object constraint = bound.get(null);

    assertThat(constraint.getClass().getMethod("getMaxWaitTime").invoke(constraint))
        .isEqualTo(Duration.ofMinutes(1));
  }
}

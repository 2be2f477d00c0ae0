package dev.pliant.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

@ExtendWith(HangingTestsTest.Listening.class)
final class HangingTestsTest {
  private static Optional<String> bound = Optional.empty();

  static final class Listening implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      bound =
          context.getConfigurationParameter(
              "junit.jupiter.execution.timeout.testable.method.default");
    }
  }

  /// JUnit has found the file by itself: nothing here says that it should.
  @Test
  void aTestThatNamesNoBoundHasAQuarterOfAnHour() {
    assertThat(bound).contains("15 m");
  }
}

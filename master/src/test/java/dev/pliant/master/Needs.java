package dev.pliant.master;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// What a test needs of the machine. On a laptop a test whose need is not met is skipped and says
/// why; where CI=true that is a failure.
final class Needs {
  private Needs() {}

  static void that(boolean met, String need) {
    if (!met && "true".equals(System.getenv("CI"))) {
      Assertions.fail("needs " + need + "; in CI nothing is skipped");
    }
    Assumptions.assumeTrue(met, "needs " + need);
  }
}

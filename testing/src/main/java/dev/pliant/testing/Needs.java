package dev.pliant.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// What a test needs of the machine. On a laptop a test whose need is not met is skipped and says
/// why; where CI=true that is a failure.
public final class Needs {
  private Needs() {}

  public static void that(boolean met, String need) {
    if (!met && "true".equals(System.getenv("CI"))) {
      Assertions.fail("needs " + need + "; in CI nothing is skipped");
    }
    Assumptions.assumeTrue(met, "needs " + need);
  }

  /// A cluster that KUBECONFIG names.
  public static void cluster() {
    String config = System.getenv("KUBECONFIG");
    that(
        config != null && Files.isReadable(Path.of(config)),
        "a cluster: KUBECONFIG names none; e2e/cluster/up starts one");
  }

  public static boolean root() {
    return "root".equals(System.getProperty("user.name"));
  }
}

package dev.pliant.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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

  /// A cluster that KUBECONFIG names, whosever it is.
  public static void cluster() {
    that(
        kubeconfig().filter(Files::isReadable).isPresent(),
        "a cluster: KUBECONFIG names none; e2e/cluster/up starts one");
  }

  /// The cluster of `e2e/cluster/up`, for a test whose pods are made of images that no registry
  /// has, or that does to a cluster what nobody would want done to theirs.
  public static void clusterOfThisMachine() {
    cluster();
    that(
        kubeconfig().filter(Needs::isOfThisMachine).isPresent(),
        "the cluster of this machine (e2e/cluster/up): KUBECONFIG names another, which lacks its images");
  }

  private static Optional<Path> kubeconfig() {
    return Optional.ofNullable(System.getenv("KUBECONFIG")).map(Path::of);
  }

  static boolean isOfThisMachine(Path kubeconfig) {
    try {
      return kubeconfig.toRealPath().endsWith("pliant/kubernetes/run/admin.kubeconfig");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static boolean root() {
    return "root".equals(System.getProperty("user.name"));
  }
}

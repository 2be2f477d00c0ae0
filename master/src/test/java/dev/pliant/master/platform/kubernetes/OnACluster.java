package dev.pliant.master.platform.kubernetes;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Gives the tests of a class a [Cluster], or skips them where there is none.
final class OnACluster implements BeforeAllCallback, AfterAllCallback {
  private @Nullable Cluster cluster;

  Cluster cluster() {
    return Objects.requireNonNull(cluster, "before all tests");
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    cluster = Cluster.needed();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (cluster != null) {
      cluster.close();
    }
  }
}

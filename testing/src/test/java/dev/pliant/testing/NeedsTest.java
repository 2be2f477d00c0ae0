package dev.pliant.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NeedsTest {
  @TempDir Path folder;

  /// Maven names the cluster by a link.
  @Test
  void knowsTheClusterOfThisMachineThroughALinkAndNoOther() throws IOException {
    Path run = Files.createDirectories(folder.resolve("pliant/kubernetes/run"));
    Path own = Files.createFile(run.resolve("admin.kubeconfig"));
    Path other = Files.createFile(folder.resolve("config"));

    assertThat(Needs.isOfThisMachine(link("own", own))).isTrue();
    assertThat(Needs.isOfThisMachine(link("other", other))).isFalse();
  }

  private Path link(String name, Path to) throws IOException {
    return Files.createSymbolicLink(folder.resolve(name), to);
  }
}

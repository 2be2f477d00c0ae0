package dev.pliant.cli;

import dev.pliant.testing.Debian;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The other shell: this machine's, or Debian's package.
final class Zsh {
  private static final Path SHELL = Path.of("/usr/bin/zsh");

  private Zsh() {}

  static synchronized boolean isThere() throws IOException, InterruptedException {
    if (!Files.exists(SHELL)) {
      Debian.install("zsh");
    }
    return Files.isExecutable(SHELL);
  }
}

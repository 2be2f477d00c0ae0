package dev.pliant.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What builds programs that only tests run; where its own installer puts it, it need not be on the
/// PATH.
final class Go {
  private Go() {}

  static boolean isThere() {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/local/go/bin";
    return Stream.of(path.split(":")).anyMatch(folder -> Files.isExecutable(Path.of(folder, "go")));
  }
}

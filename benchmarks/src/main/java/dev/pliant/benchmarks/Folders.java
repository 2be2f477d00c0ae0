package dev.pliant.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Folders that a run makes for itself.
final class Folders {
  private Folders() {}

  /// Deletes a folder and all that is in it.
  static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    }
  }
}

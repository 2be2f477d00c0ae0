package dev.pliant.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A copy of the tree that was never built, as a newcomer has it, and the build that its first use
/// makes. One for all tests of a run.
final class FreshTree {
  private static final Duration LISTING = Duration.ofMinutes(1);
  private static final Duration BUILD = Duration.ofMinutes(10);

  private static @Nullable FreshTree made;

  private final Path path;
  private final String firstUse;

  private FreshTree(Path path, String firstUse) {
    this.path = path;
    this.firstUse = firstUse;
  }

  static synchronized FreshTree built() {
    if (made == null) {
      try {
        made = make();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return made;
  }

  private static FreshTree make() throws IOException {
    Path folder = Files.createTempDirectory("pliant-tree-");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
    Path tree = folder.resolve("pliant");
    Commands.Result files =
        Commands.run(
                Commands.root(),
                Map.of(),
                LISTING,
                "git",
                "-c",
                "safe.directory=*", // whoever owns the tree: it is only listed
                "ls-files",
                "--cached",
                "--others",
                "--exclude-standard")
            .orThrow("git ls-files");
    for (String file : files.output().lines().toList()) {
      Path from = Commands.root().resolve(file);
      if (Files.isRegularFile(from)) {
        Path to = tree.resolve(file);
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    return new FreshTree(
        tree,
        Commands.run(tree, Map.of(), BUILD, "./pliant", "version")
            .orThrow("the first use of pliant")
            .output());
  }

  private static void delete(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      paths.sorted(java.util.Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException e) {
      System.err.println("not deleted: " + folder + ": " + e);
    }
  }

  Path path() {
    return path;
  }

  /// What the first use of `pliant` printed.
  String firstUse() {
    return firstUse;
  }
}

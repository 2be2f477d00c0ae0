package dev.pliant.cli.python;

import dev.pliant.cli.python.TorchChoice.Python;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/// Asks a Python whether it imports PyTorch, once: to import it takes seconds, so the answer is
/// kept until the interpreter or a folder that it takes packages from has changed.
final class PythonProbe {
  private static final Duration BOUND = Duration.ofSeconds(60);

  /// Prints the version of PyTorch or nothing, then the folders that packages come from.
  private static final String QUESTION =
      """
      import sys, site
      try:
          import torch
          print(torch.__version__)
      except Exception:
          print()
      folders = [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
      print("\\n".join(folders))
      """;

  private final Path answers;
  private final Path folder;
  private final Map<String, String> environment;

  /// @param cache where answers are kept
  /// @param folder where the job runs: which Python a name stands for may depend on it
  /// @param environment what the job adds to the environment
  PythonProbe(Path cache, Path folder, Map<String, String> environment) {
    this.answers = cache.resolve("pythons.properties");
    this.folder = folder;
    this.environment = environment;
  }

  Python ask(Path python) {
    Properties kept = kept();
    String key = python + "@" + stamp(python);
    String answer = kept.getProperty(key);
    if (answer == null || !stillHolds(answer)) {
      answer = answer(python);
      kept.setProperty(key, answer);
      keep(kept);
    }
    String version = answer.lines().findFirst().orElse("");
    return new Python(python, version.isEmpty() ? Optional.empty() : Optional.of(version));
  }

  /// The version, then a line for each folder with when it last changed.
  private String answer(Path python) {
    List<String> lines = run(python);
    StringBuilder answer = new StringBuilder(lines.isEmpty() ? "" : lines.getFirst());
    for (String path : lines.subList(Math.min(1, lines.size()), lines.size())) {
      answer.append('\n').append(stamp(Path.of(path))).append(' ').append(path);
    }
    return answer.toString();
  }

  private static boolean stillHolds(String answer) {
    List<String> folders = answer.lines().skip(1).toList();
    return !folders.isEmpty()
        && folders.stream()
            .map(line -> line.split(" ", 2))
            .allMatch(parts -> parts.length == 2 && stamp(Path.of(parts[1])).equals(parts[0]));
  }

  private static String stamp(Path path) {
    try {
      return Long.toString(Files.getLastModifiedTime(path).toMillis());
    } catch (IOException e) {
      return "absent";
    }
  }

  private List<String> run(Path python) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(python.toString(), "-c", QUESTION)
              .directory(folder.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().putAll(environment);
      Process process = builder.start();
      // It prints little, so the pipe never fills up.
      if (!process.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        return List.of();
      }
      try (Reader out = process.inputReader()) {
        List<String> lines = new ArrayList<>(out.readAllLines());
        return process.exitValue() == 0 ? lines : List.of();
      }
    } catch (IOException e) {
      return List.of(); // What does not run imports nothing.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private Properties kept() {
    Properties kept = new Properties();
    if (Files.isReadable(answers)) {
      try (Reader reader = Files.newBufferedReader(answers)) {
        kept.load(reader);
      } catch (IOException | IllegalArgumentException e) {
        return new Properties(); // A damaged cache is no cache.
      }
    }
    return kept;
  }

  private void keep(Properties kept) {
    try {
      Files.createDirectories(answers.toAbsolutePath().getParent());
      Path beside = Files.createTempFile(answers.toAbsolutePath().getParent(), "pythons", ".tmp");
      try (Writer writer = Files.newBufferedWriter(beside)) {
        kept.store(writer, null);
      }
      Files.move(beside, answers, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // Asked again next time.
    }
  }
}

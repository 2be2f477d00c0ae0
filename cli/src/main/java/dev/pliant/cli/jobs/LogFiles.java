package dev.pliant.cli.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The logs of a job's workers: `WORKER.log` in its folder `logs`. Those of its master and agents
/// lie beside them and are none of these.
public final class LogFiles {
  private static final Pattern WORKER_LOG = Pattern.compile("([a-z][a-z0-9]*(?:-\\d+)+)\\.log");
  private static final Pattern DIGITS = Pattern.compile("\\d+");

  private LogFiles() {}

  /// The workers that have a log, worker-2 before worker-10.
  public static List<String> workers(Path logs) throws IOException {
    return names(logs, name -> WORKER_LOG.matcher(name).matches());
  }

  /// Everything that has a log, the master and the agents too.
  public static List<String> all(Path logs) throws IOException {
    return names(logs, name -> name.endsWith(".log"));
  }

  private static List<String> names(Path logs, Predicate<String> wanted) throws IOException {
    if (!Files.isDirectory(logs)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(logs)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(wanted)
          .map(name -> name.substring(0, name.length() - ".log".length()))
          .sorted(Comparator.comparing(LogFiles::sortable))
          .toList();
    }
  }

  public static Path file(Path logs, String name) {
    return logs.resolve(name + ".log");
  }

  /// With its numbers filled up with zeros.
  private static String sortable(String name) {
    return DIGITS
        .matcher(name)
        .replaceAll(number -> Matcher.quoteReplacement("%09d".formatted(parse(number.group()))));
  }

  private static int parse(String digits) {
    return digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
  }
}

package dev.pliant.cli.run;

import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A file by which an agent tells its supervisor of workers that ended: a line with name and exit
/// code for each, appended whole.
public final class WorkerEnds {
  /// For an agent that nobody supervises.
  public static final WorkerEnds NOWHERE = new WorkerEnds(Optional.empty());

  private final Optional<Path> file;
  private final Map<String, Integer> noted = new LinkedHashMap<>();

  private WorkerEnds(Optional<Path> file) {
    this.file = file;
  }

  public static WorkerEnds in(Path file) {
    return new WorkerEnds(Optional.of(file));
  }

  /// Writes down those that are new.
  public void note(Map<WorkerId, Integer> exitCodes) throws IOException {
    for (Map.Entry<WorkerId, Integer> end : exitCodes.entrySet()) {
      if (noted.putIfAbsent(end.getKey().value(), end.getValue()) == null && file.isPresent()) {
        Files.writeString(
            file.get(),
            "%s %d\n".formatted(end.getKey(), end.getValue()),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      }
    }
  }

  /// All that are written down, in the order of their end.
  static Map<String, Integer> read(Path file) throws IOException {
    Map<String, Integer> ends = new LinkedHashMap<>();
    if (Files.exists(file)) {
      String text = Files.readString(file);
      // A line without its end is still being written.
      for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
        String[] parts = line.split(" ", 2);
        if (parts.length == 2 && parts[1].matches("-?\\d{1,9}")) {
          ends.put(parts[0], Integer.parseInt(parts[1]));
        }
      }
    }
    return ends;
  }
}

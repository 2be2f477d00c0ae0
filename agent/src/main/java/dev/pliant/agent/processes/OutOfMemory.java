package dev.pliant.agent.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Tells a process that the kernel killed for lack of memory from one that somebody killed: by the
/// count of such kills that its control groups keep.
final class OutOfMemory {
  /// Where version 2 and version 1 of control groups keep it.
  private static final List<String> FILES = List.of("memory.events", "memory.oom_control");

  private static final String COUNT = "oom_kill ";

  private final List<Path> groups;
  private long known;

  OutOfMemory(List<Path> groups) {
    this.groups = List.copyOf(groups);
    this.known = count();
  }

  /// Whether the kernel has killed since this was last asked.
  synchronized boolean hasStruck() {
    long now = count();
    boolean risen = now > known;
    known = now;
    return risen;
  }

  private long count() {
    long sum = 0;
    for (Path group : groups) {
      for (String file : FILES) {
        sum += count(group.resolve(file));
      }
    }
    return sum;
  }

  private static long count(Path file) {
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(COUNT)) {
          return Long.parseLong(line.substring(COUNT.length()).strip());
        }
      }
    } catch (IOException | NumberFormatException _) {
      // Not a group that bounds memory, or of the other version.
    }
    return 0;
  }
}

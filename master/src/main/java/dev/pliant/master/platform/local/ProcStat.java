package dev.pliant.master.platform.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A process as `/proc/PID/stat` shows it.
///
/// @param state `Z` for one that has ended and was not waited for
/// @param session the process that leads its session
/// @param startTicks when it started, since the machine did: with the pid it says which process it
///   is
record ProcStat(long pid, char state, long parent, long session, long startTicks) {
  private static final Path PROC = Path.of("/proc");

  static Optional<ProcStat> of(long pid) {
    try {
      return Optional.of(parse(Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"))));
    } catch (IOException e) {
      return Optional.empty(); // There is no such process, or not any more.
    }
  }

  /// The name may hold anything, so what follows its last parenthesis counts.
  static ProcStat parse(String line) {
    int name = line.indexOf(" (");
    int end = line.lastIndexOf(')');
    String[] rest = line.substring(end + 2).split(" ");
    return new ProcStat(
        Long.parseLong(line.substring(0, name)),
        rest[0].charAt(0),
        Long.parseLong(rest[1]),
        Long.parseLong(rest[3]),
        Long.parseLong(rest[19].strip()));
  }

  boolean alive() {
    return state != 'Z' && state != 'X';
  }

  /// Every process of the machine that can be seen.
  static List<ProcStat> all() {
    List<ProcStat> all = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        of(Long.parseLong(process.getFileName().toString())).ifPresent(all::add);
      }
    } catch (IOException e) {
      return List.of(); // Without /proc nothing can be seen.
    }
    return all;
  }
}

package dev.pliant.master.platform.local;

import dev.pliant.model.ProcStat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The processes of this machine that can be seen.
final class MachineProcesses {
  private static final Path PROC = Path.of("/proc");

  private MachineProcesses() {}

  /// The process now; nothing where it is gone.
  static Optional<ProcStat> of(long pid) {
    try {
      Path file = PROC.resolve(Long.toString(pid)).resolve("stat");
      return ProcStat.parse(Files.readString(file, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return Optional.empty(); // There is no such process, or not any more.
    }
  }

  /// Every one of them.
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

package dev.pliant.benchmarks;

import java.io.IOException;
import java.nio.file.Path;

/// What a process has in memory, exactly, in MB.
///
/// @param whole every page it has mapped that is in memory
/// @param share the same, where a page that several processes have counts for its part
/// @param own pages that nobody else has
record Resident(double whole, double share, double own) {
  static Resident of(long pid) throws IOException {
    Path file = Path.of("/proc", Long.toString(pid), "smaps_rollup");
    return new Resident(
        mb(file, "Rss:"),
        mb(file, "Pss:"),
        mb(file, "Private_Clean:") + mb(file, "Private_Dirty:"));
  }

  private static double mb(Path file, String field) throws IOException {
    return Long.parseLong(Machine.field(file, field, "0 kB").replace(" kB", "").strip()) / 1024.0;
  }
}

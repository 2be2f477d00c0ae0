package dev.pliant.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What a run was made on.
///
/// @param disk the kind of file system the journals are on
/// @param loadBefore the load of the last minute before it began: a busy machine measures badly
record Machine(
    int cores,
    String cpu,
    long memoryMb,
    String kernel,
    String java,
    String disk,
    double loadBefore) {

  static Machine here(Path work) throws IOException {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        field(Path.of("/proc/cpuinfo"), "model name", "unknown"),
        Long.parseLong(field(Path.of("/proc/meminfo"), "MemTotal", "0 kB").replace(" kB", ""))
            / 1024,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor") + " " + Runtime.version(),
        Files.getFileStore(work).type(),
        Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]));
  }

  /// The value of the first `key : value` line of a file of /proc.
  static String field(Path file, String key, String otherwise) throws IOException {
    List<String> lines = Files.readAllLines(file);
    return lines.stream()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse(otherwise);
  }
}

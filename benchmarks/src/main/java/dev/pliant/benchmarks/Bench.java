package dev.pliant.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What a measure has at hand.
///
/// @param root the repository
/// @param work a folder for jobs and logs, on the disk that is measured
/// @param ghz the load tool
/// @param python the Python that has DLRover
/// @param torchPython the Python that has torch from PyPI, for both sides of what trains
/// @param masterFlags more flags for the JVM of Pliant's master
record Bench(
    Path root,
    Path work,
    Path ghz,
    Path python,
    Path torchPython,
    List<String> masterFlags,
    Plan plan,
    PrintStream log) {

  /// A fresh folder.
  Path folder(String name) throws IOException {
    Files.createDirectories(work);
    return Files.createTempDirectory(work, name + "-");
  }

  /// Where the .proto files are.
  Path protos() {
    return root.resolve("protocol/src/main/protobuf");
  }

  void say(String format, Object... arguments) {
    log.println("  " + format.formatted(arguments));
  }
}

package dev.pliant.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/// The example `digits` at a test's pace: slow until it is told to hurry, so that a training lasts
/// as long as what is tried on it, however busy the machine, and ends soon after.
///
/// @param folder through which its processes are told
record PacedDigits(Path folder) {
  /// @param folder of this machine that is not there yet
  static PacedDigits in(Path folder) throws IOException {
    Files.createDirectory(folder);
    try (InputStream script =
        Objects.requireNonNull(PacedDigits.class.getResourceAsStream("/digits/sitecustomize.py"))) {
      Files.copy(script, folder.resolve("sitecustomize.py"));
    }
    return new PacedDigits(folder);
  }

  /// What processes of this machine need in their environment.
  ///
  /// @param secondsPerStep how long each step takes until there is a hurry
  Map<String, String> environment(double secondsPerStep, int epochs) {
    return Map.of(
        "PYTHONPATH", folder.toString(),
        "TOLD", folder.toString(),
        "PACE", Double.toString(secondsPerStep),
        "DIGITS_EPOCHS", Integer.toString(epochs));
  }

  void hurry() throws IOException {
    Files.createFile(folder.resolve("hurry"));
  }

  /// Has that pod run out of memory.
  void exhaust(String pod) throws IOException {
    Files.createFile(folder.resolve(pod));
  }
}

package dev.pliant.rpc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The small files by which a master is found and opened.
final class SecretFiles {
  private static final int MAX_BYTES = 1 << 20;

  private SecretFiles() {}

  static byte[] read(Path folder, String name) throws IOException {
    Path file = folder.resolve(name);
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " has more than 1 MiB; it cannot be a master's.");
    }
    return Files.readAllBytes(file);
  }
}

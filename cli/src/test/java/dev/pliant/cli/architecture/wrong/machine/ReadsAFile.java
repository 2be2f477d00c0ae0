package dev.pliant.cli.architecture.wrong.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Wrong: a decision that depends on what is on this machine's disk.
public final class ReadsAFile {
  private ReadsAFile() {}

  public static String read() throws IOException {
    return Files.readString(Path.of("plan"));
  }
}

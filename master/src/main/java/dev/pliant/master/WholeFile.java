package dev.pliant.master;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/// Writes a file of a job's folder as a whole: whoever reads it finds the old one or the new one,
/// and nobody but its owner reads it.
final class WholeFile {
  private static final FileAttribute<?> SECRET =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private WholeFile() {}

  static void write(Path file, String text) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".tmp");
    Files.deleteIfExists(beside);
    Files.createFile(beside, SECRET);
    Files.writeString(beside, text, UTF_8, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
  }
}

package dev.pliant.agent.processes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a process prints, kept in a file. The file is bounded: a full one is set aside as FILE.1,
/// once. Whatever goes wrong with the file, the process is read on, for else it would stand still.
final class WorkerLog {
  static final long MAX_FILE_BYTES = 64L << 20;

  private static final Logger log = LoggerFactory.getLogger(WorkerLog.class);

  private final Path file;
  private final long maxFileBytes;
  private final Optional<Echo> echo;
  private @Nullable OutputStream out;
  private long written;
  private boolean troubled;

  /// @param echo where it is repeated
  WorkerLog(Path file, long maxFileBytes, Optional<Echo> echo) {
    this.file = file;
    this.maxFileBytes = maxFileBytes;
    this.echo = echo;
  }

  /// Reads to the end of `printed`.
  void follow(InputStream printed) {
    byte[] buffer = new byte[8 << 10];
    try (printed) {
      int read = printed.read(buffer);
      while (read >= 0) {
        int length = read;
        keep(buffer, length);
        echo.ifPresent(here -> here.print(buffer, length));
        read = printed.read(buffer);
      }
    } catch (IOException e) {
      log.debug("{}: the process's output ended: {}", file, e.toString());
    } finally {
      echo.ifPresent(Echo::end);
      closeFile();
    }
  }

  private void keep(byte[] bytes, int length) {
    try {
      if (out == null || written + length > maxFileBytes) {
        openFile(length);
      }
      if (out != null) {
        out.write(bytes, 0, length);
        written += length;
      }
      troubled = false;
    } catch (IOException e) {
      if (!troubled) {
        log.warn("{} cannot be written; what the worker prints is lost: {}", file, e.toString());
      }
      troubled = true;
      closeFile();
    }
  }

  /// Begins a file, or goes on with one that has room; a full one is set aside.
  private void openFile(int length) throws IOException {
    closeFile();
    long size = Files.exists(file) ? Files.size(file) : 0;
    if (size > 0 && size + length > maxFileBytes) {
      Files.move(
          file,
          file.resolveSibling(file.getFileName() + ".1"),
          StandardCopyOption.REPLACE_EXISTING);
      size = 0;
    }
    out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    written = size;
  }

  private void closeFile() {
    OutputStream closing = out;
    out = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (IOException e) {
        log.debug("{}: closing it failed: {}", file, e.toString());
      }
    }
  }
}

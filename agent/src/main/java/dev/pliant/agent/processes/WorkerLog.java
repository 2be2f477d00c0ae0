package dev.pliant.agent.processes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a process prints: kept in a file, and handed on line by line with the worker's name in
/// front. The file is bounded: a full one is set aside as FILE.1, once. Whatever goes wrong with
/// the file, the process is read on, for else it would stand still.
final class WorkerLog {
  static final long MAX_FILE_BYTES = 64L << 20;
  static final int MAX_LINE_BYTES = 64 << 10;

  private static final Logger log = LoggerFactory.getLogger(WorkerLog.class);

  private final Path file;
  private final long maxFileBytes;
  private final Consumer<byte[]> console;
  private final byte[] prefix;
  private byte[] line = new byte[256];
  private int lineLength;
  private @Nullable OutputStream out;
  private long written;
  private boolean troubled;

  WorkerLog(String worker, Path file, long maxFileBytes, Consumer<byte[]> console) {
    this.file = file;
    this.maxFileBytes = maxFileBytes;
    this.console = console;
    this.prefix = ("[" + worker + "] ").getBytes(StandardCharsets.UTF_8);
  }

  /// Reads to the end of `printed`.
  void follow(InputStream printed) {
    byte[] buffer = new byte[8 << 10];
    try (printed) {
      int read = printed.read(buffer);
      while (read >= 0) {
        keep(buffer, read);
        show(buffer, read);
        read = printed.read(buffer);
      }
    } catch (IOException e) {
      log.debug("{}: the process's output ended: {}", file, e.toString());
    } finally {
      endLine();
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

  private void show(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n' || lineLength == MAX_LINE_BYTES) {
        endLine();
      }
      if (bytes[i] != '\n') {
        if (lineLength == line.length) {
          line = Arrays.copyOf(line, 2 * line.length);
        }
        line[lineLength++] = bytes[i];
      }
    }
  }

  /// Prints the line as one, so that lines of different workers do not run into each other.
  private void endLine() {
    if (lineLength == 0) {
      return;
    }
    byte[] whole = Arrays.copyOf(prefix, prefix.length + lineLength + 1);
    System.arraycopy(line, 0, whole, prefix.length, lineLength);
    whole[whole.length - 1] = '\n';
    console.accept(whole);
    lineLength = 0;
  }
}

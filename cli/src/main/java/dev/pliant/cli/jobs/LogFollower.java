package dev.pliant.cli.jobs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads logs as they grow, line by line. A log that was set aside because it was full is read to
/// its end, then the new one from its beginning. Where a log grows faster than it is read, what is
/// too much is left out and counted: nobody can read that fast, and memory stays bounded. For one
/// thread.
public final class LogFollower implements AutoCloseable {
  /// Takes what was read.
  public interface Sink {
    void piece(String name, LinePiece piece);

    /// So many bytes of the log were left out.
    void leftOut(String name, long bytes);

    /// Why something is not there to be read.
    default void note(String text) {}

    /// Nothing more is there for now: what was printed is to be seen.
    ///
    /// @throws ReaderGone where nobody is there to see it
    default void pause() {}
  }

  static final int MAX_BYTES_AT_ONCE = 256 << 10;
  static final long MAX_BEHIND = 4L << 20;

  private final Path logs;
  private final long maxBehind;
  private final Map<String, Tail> tails = new LinkedHashMap<>();
  private final ByteBuffer buffer = ByteBuffer.allocate(MAX_BYTES_AT_ONCE);

  /// @param logs the folder they are in
  public LogFollower(Path logs) {
    this(logs, MAX_BEHIND);
  }

  /// @param maxBehind how many bytes of a log may be unread before some are left out
  public LogFollower(Path logs, long maxBehind) {
    this.logs = logs;
    this.maxBehind = maxBehind;
  }

  /// One log.
  private static final class Tail {
    private final LineCutter lines = new LineCutter();
    private @Nullable FileChannel channel;
    private @Nullable Object key;
  }

  /// Skips what `name` holds already.
  public void skip(String name) throws IOException {
    Tail tail = tails.computeIfAbsent(name, _ -> new Tail());
    FileChannel channel = open(name, tail);
    if (channel != null) {
      channel.position(channel.size());
    }
  }

  /// Gives `sink` the last `count` lines of `name`, and goes on from there.
  public void last(String name, int count, Sink sink) throws IOException {
    LastLines lines = new LastLines(count);
    while (read(name, lines)) {
      // To the end.
    }
    lines.give(name, sink);
  }

  /// Gives `sink` what is new in `name`, up to a bound; whether there was anything.
  public boolean read(String name, Sink sink) throws IOException {
    Tail tail = tails.computeIfAbsent(name, _ -> new Tail());
    FileChannel channel = open(name, tail);
    if (channel == null) {
      return false;
    }
    leaveOut(name, tail, channel, sink);
    int length = channel.read(buffer.clear());
    if (length > 0) {
      tail.lines.cut(buffer.array(), length, piece -> sink.piece(name, piece));
      return true;
    }
    return movedOn(name, tail);
  }

  /// Gives `sink` the last lines, which have no end.
  public void finish(Sink sink) {
    tails.forEach((name, tail) -> tail.lines.finish(piece -> sink.piece(name, piece)));
  }

  private void leaveOut(String name, Tail tail, FileChannel channel, Sink sink) throws IOException {
    long behind = channel.size() - channel.position();
    if (behind > maxBehind) {
      long leftOut = behind - MAX_BYTES_AT_ONCE;
      channel.position(channel.position() + leftOut);
      tail.lines.reset();
      sink.leftOut(name, leftOut);
    }
  }

  private @Nullable FileChannel open(String name, Tail tail) throws IOException {
    if (tail.channel == null) {
      Path file = LogFiles.file(logs, name);
      if (!Files.isReadable(file)) {
        return null;
      }
      tail.key = key(file);
      tail.channel = FileChannel.open(file);
    }
    return tail.channel;
  }

  /// Whether the log was read to its end and another has taken its place, which is opened next.
  private boolean movedOn(String name, Tail tail) throws IOException {
    Path file = LogFiles.file(logs, name);
    if (!Files.isReadable(file) || Objects.equals(key(file), tail.key)) {
      return false;
    }
    close(tail);
    return true;
  }

  private static @Nullable Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  private static void close(Tail tail) throws IOException {
    FileChannel channel = tail.channel;
    tail.channel = null;
    if (channel != null) {
      channel.close();
    }
  }

  @Override
  public void close() throws IOException {
    for (Tail tail : tails.values()) {
      close(tail);
    }
  }
}

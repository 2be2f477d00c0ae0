package dev.pliant.agent.socket;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.Optional;

/// Reads frames: a length of 4 bytes, big-endian, then that many bytes. Memory is taken as the
/// bytes come, not as the length promises.
public final class FrameReader {
  /// The longest frame, in either direction.
  public static final int MAX_BYTES = 16 << 20;

  private static final int HEADER = 4;
  private static final int FIRST_PIECE = 16 << 10;

  private final ReadableByteChannel channel;

  public FrameReader(ReadableByteChannel channel) {
    this.channel = channel;
  }

  /// The next frame's bytes, or nothing where the other side has ended between two frames.
  ///
  /// @throws EOFException where it ended inside a frame
  /// @throws PliantException [ErrorCode#TOO_MANY] for a frame that is too long
  public Optional<byte[]> read() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    while (header.hasRemaining()) {
      if (channel.read(header) < 0) {
        if (header.position() == 0) {
          return Optional.empty();
        }
        throw new EOFException("the connection ended inside the length of a frame");
      }
    }
    long length = Integer.toUnsignedLong(header.getInt(0));
    if (length > MAX_BYTES) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "a frame of %,d bytes was announced, at most %,d are allowed; send smaller messages."
              .formatted(length, MAX_BYTES));
    }
    return Optional.of(body((int) length));
  }

  private byte[] body(int length) throws IOException {
    byte[] bytes = new byte[Math.min(length, FIRST_PIECE)];
    int filled = 0;
    while (filled < length) {
      if (filled == bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.min(length, 2 * bytes.length));
      }
      int piece = Math.min(bytes.length - filled, FIRST_PIECE);
      int read = channel.read(ByteBuffer.wrap(bytes, filled, piece));
      if (read < 0) {
        throw new EOFException(
            "the connection ended after %,d of a frame's %,d bytes".formatted(filled, length));
      }
      filled += read;
    }
    return bytes;
  }
}

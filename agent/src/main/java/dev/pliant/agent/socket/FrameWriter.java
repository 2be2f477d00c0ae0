package dev.pliant.agent.socket;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/// Writes frames as [FrameReader] reads them.
public final class FrameWriter {
  private static final int PIECE = 64 << 10;

  private final WritableByteChannel channel;

  public FrameWriter(WritableByteChannel channel) {
    this.channel = channel;
  }

  /// Writes one frame.
  ///
  /// @throws PliantException [ErrorCode#TOO_MANY], with nothing written, where it would be too long
  public void write(byte[] bytes) throws IOException {
    if (bytes.length > FrameReader.MAX_BYTES) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "the answer would have %,d bytes, at most %,d fit into a frame."
              .formatted(bytes.length, FrameReader.MAX_BYTES));
    }
    int first = Math.min(bytes.length, PIECE);
    ByteBuffer start = ByteBuffer.allocate(4 + first);
    drain(start.putInt(bytes.length).put(bytes, 0, first).flip());
    for (int from = first; from < bytes.length; from += PIECE) {
      drain(ByteBuffer.wrap(bytes, from, Math.min(PIECE, bytes.length - from)));
    }
  }

  private void drain(ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }
}

package dev.pliant.master.journal;

import dev.pliant.master.journal.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// How bytes lie in a file: a length and a CRC32C of four bytes each, then the payload. The
/// checksum covers the frame's place in the file, so a frame counts only where it was written.
///
/// A frame is forced to disk before the next is written. Hence a bad frame with nothing whole
/// behind it is a torn tail, and a bad frame with a whole one behind it is damage.
final class Frames {
  static final int HEADER = 8;
  static final int MAX_PAYLOAD = 64 << 20;
  private static final int WINDOW = 1 << 20;

  private final DiskFile file;
  private final long size;

  /// The bytes of the file from `windowStart` on.
  private ByteBuffer window = ByteBuffer.allocate(WINDOW).limit(0);

  private long windowStart;

  /// Reads the frames of a file.
  Frames(DiskFile file) throws IOException {
    this.file = file;
    this.size = file.size();
  }

  /// Puts the frame of a payload, to be written at `position`, into a buffer.
  static void put(ByteBuffer buffer, long position, byte[] payload) {
    buffer.putInt(payload.length).putInt(checksum(position, ByteBuffer.wrap(payload))).put(payload);
  }

  private static int checksum(long position, ByteBuffer payload) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (position >>> shift));
    }
    crc.update(payload);
    return (int) crc.getValue();
  }

  long size() {
    return size;
  }

  /// The payload of the frame at `position`, to be read before the next call; null where there is
  /// no frame that is whole.
  @Nullable ByteBuffer read(long position) throws IOException {
    if (position + HEADER > size) {
      return null;
    }
    int header = load(position, HEADER);
    if (header < 0) {
      return null;
    }
    int length = window.getInt(header);
    int checksum = window.getInt(header + 4);
    if (length <= 0 || length > MAX_PAYLOAD || position + HEADER + length > size) {
      return null;
    }
    int frame = load(position, HEADER + length);
    if (frame < 0) {
      return null;
    }
    ByteBuffer bytes = window.slice(frame + HEADER, length);
    return checksum(position, bytes.duplicate()) == checksum ? bytes : null;
  }

  /// The position of a whole frame after `position`, or −1.
  long findAfter(long position) throws IOException {
    for (long at = position + 1; at + HEADER < size; at++) {
      int loaded = load(at, HEADER);
      if (loaded < 0) {
        return -1;
      }
      if (window.getLong(loaded) == 0) {
        // No frame has no length: none begins here, nor before the last four of these bytes. Room
        // that was made ahead is a million of them.
        at += Long.BYTES - Integer.BYTES;
        continue;
      }
      int length = window.getInt(loaded);
      if (length > 0 && length <= MAX_PAYLOAD && at + HEADER + length <= size && read(at) != null) {
        return at;
      }
    }
    return -1;
  }

  /// Sees that the window holds `length` bytes from `position` on; returns where they begin in it,
  /// or −1 where the file has become shorter meanwhile, as a living master's does when it is
  /// closed.
  private int load(long position, int length) throws IOException {
    if (position < windowStart || position + length > windowStart + window.limit()) {
      if (window.capacity() < length) {
        window = ByteBuffer.allocate(length);
      }
      window.clear().limit((int) Math.min(window.capacity(), size - position));
      file.read(window, position);
      window.flip();
      windowStart = position;
      if (window.limit() < length) {
        return -1;
      }
    }
    return (int) (position - windowStart);
  }
}

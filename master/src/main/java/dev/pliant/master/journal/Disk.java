package dev.pliant.master.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// One folder, as narrow as the journal needs it: so that a test can forget what was not forced, or
/// run out of room, at any byte.
public interface Disk {
  /// Names of the files, sorted.
  List<String> list() throws IOException;

  /// Opens a file, making it where it is not there.
  DiskFile open(String name) throws IOException;

  /// Makes an empty file; false where it is there already. Of several who try, one succeeds.
  boolean create(String name) throws IOException;

  boolean exists(String name);

  /// Puts a file in the place of another at once.
  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  /// Forces to disk which files there are.
  void force() throws IOException;

  /// A file of the folder.
  interface DiskFile extends AutoCloseable {
    long size() throws IOException;

    /// Reads into the buffer from `position`; fewer bytes only at the end of the file.
    void read(ByteBuffer buffer, long position) throws IOException;

    void write(ByteBuffer buffer, long position) throws IOException;

    void truncate(long size) throws IOException;

    /// Forces to disk what was written.
    void force() throws IOException;

    @Override
    void close() throws IOException;
  }
}

package dev.pliant.master.journal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/// A real folder.
public final class FolderDisk implements Disk {
  private final Path folder;

  private FolderDisk(Path folder) {
    this.folder = folder;
  }

  /// Opens a folder that is there.
  public static FolderDisk of(Path folder) {
    return new FolderDisk(folder);
  }

  /// Opens a folder, making it, for its owner only, where it is not there.
  public static FolderDisk make(Path folder) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return new FolderDisk(folder);
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new ChannelFile(FileChannel.open(folder.resolve(name), CREATE, READ, WRITE));
  }

  @Override
  public boolean create(String name) throws IOException {
    try {
      Files.createFile(folder.resolve(name));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(folder.resolve(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(folder.resolve(name));
  }

  @Override
  public void force() throws IOException {
    try (FileChannel channel = FileChannel.open(folder, READ)) {
      channel.force(true);
    }
  }

  private record ChannelFile(FileChannel channel) implements DiskFile {
    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void read(ByteBuffer buffer, long position) throws IOException {
      long at = position;
      while (buffer.hasRemaining()) {
        int count = channel.read(buffer, at);
        if (count < 0) {
          return;
        }
        at += count;
      }
    }

    @Override
    public void write(ByteBuffer buffer, long position) throws IOException {
      long at = position;
      while (buffer.hasRemaining()) {
        at += channel.write(buffer, at);
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      channel.truncate(size);
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}

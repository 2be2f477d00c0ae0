package dev.pliant.agent.socket;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// The socket's place in the file system: nobody but this user may reach it.
final class SocketFile {
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> SOCKET =
      PosixFilePermissions.fromString("rw-------");

  private SocketFile() {}

  /// Makes the folder where it is missing, and clears away the socket of an agent that is gone.
  ///
  /// @throws FileSystemException where the folder is open to others, or something else is there
  static void prepare(Path socket) throws IOException {
    Path folder = socket.toAbsolutePath().getParent();
    if (folder == null) {
      throw new NotDirectoryException(socket.toString());
    }
    Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(FOLDER));
    if (!FOLDER.containsAll(Files.getPosixFilePermissions(folder))) {
      throw new FileSystemException(
          folder.toString(),
          socket.toString(),
          "others may enter this folder, and could reach the agent's socket in it; chmod 700 it or choose another");
    }
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      removeStale(socket);
    }
  }

  static void restrict(Path socket) throws IOException {
    Files.setPosixFilePermissions(socket, SOCKET);
  }

  private static void removeStale(Path socket) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!attributes.isOther()) {
      throw new FileAlreadyExistsException(
          socket.toString(), null, "this is no socket; remove it or choose another path");
    }
    if (answers(socket)) {
      throw new FileAlreadyExistsException(
          socket.toString(), null, "another agent listens there; stop it or choose another path");
    }
    Files.deleteIfExists(socket);
  }

  private static boolean answers(Path socket) {
    try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return probe.isConnected();
    } catch (IOException _) {
      return false; // Nobody listens any more.
    }
  }
}

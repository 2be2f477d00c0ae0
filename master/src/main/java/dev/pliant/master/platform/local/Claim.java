package dev.pliant.master.platform.local;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// Who a node is: the process that made `NODE.claim` before it became the agent. Only one process
/// ever can, so a node is never started twice, not even by two masters of which one was killed
/// between deciding and starting; and it names the process so that it is never mistaken for another
/// with the same pid, also after the machine was started again.
///
/// @param pid 0 where the claim was made so that nobody ever can
record Claim(long pid, long startTicks, String bootId) {
  /// Makes the claim, then becomes the agent. The file is written aside and linked, so that whoever
  /// finds it finds it whole. Exit code 75 says that somebody else was first.
  static final String SCRIPT =
      """
      claim=$1; shift
      field() { shift 21; ticks=$1; }
      read -r stat </proc/$$/stat && read -r boot </proc/sys/kernel/random/boot_id || exit 71
      field $stat
      echo "$$ $ticks $boot" >"$claim.$$" || exit 73
      ln "$claim.$$" "$claim" 2>/dev/null; made=$?
      rm -f "$claim.$$"
      [ $made = 0 ] || exit 75
      exec "$@"
      """;

  static final int TAKEN = 75;

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  static Optional<Claim> read(Path file) throws IOException {
    try {
      String[] parts = Files.readString(file).strip().split(" ");
      if (parts.length != 3) {
        throw new IOException("%s is no claim of a node".formatted(file));
      }
      return Optional.of(new Claim(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (NumberFormatException e) {
      throw new IOException("%s is no claim of a node".formatted(file), e);
    }
  }

  /// Sees that nobody starts the node any more; false where somebody has.
  static boolean prevent(Path file) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".never");
    Files.writeString(aside, "0 0 never\n");
    try {
      Files.createLink(file, aside);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  boolean alive() {
    return pid != 0
        && bootId.equals(thisBoot())
        && MachineProcesses.of(pid)
            .filter(s -> s.startTicks() == startTicks && s.alive())
            .isPresent();
  }

  private static String thisBoot() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      throw new IllegalStateException("this machine does not say when it was started", e);
    }
  }
}

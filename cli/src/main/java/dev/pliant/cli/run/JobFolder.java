package dev.pliant.cli.run;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Where a job lives on this machine, held by one supervisor at a time.
///
/// | name | what |
/// |---|---|
/// | `journal/` | what its masters decided |
/// | `master.json`, `ca.pem`, `token` | where the master is, how to trust it, how to be let in |
/// | `lock` | locked by the supervisor, and says who that is |
/// | `children` | processes of the supervisor, for the next one to wait for |
/// | `logs/` | one file a process |
/// | `result.json` | how the last run ended |
public final class JobFolder implements AutoCloseable {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final JobId job;
  private final Path path;
  private final FileChannel lockFile;

  private JobFolder(JobId job, Path path, FileChannel lockFile) {
    this.job = job;
    this.path = path;
    this.lockFile = lockFile;
  }

  /// `$XDG_STATE_HOME/pliant/jobs`, by default below `~/.local/state`.
  static Path jobs(Map<String, String> environment, Path home) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path base = Path.of(state).isAbsolute() ? Path.of(state) : home.resolve(".local/state");
    return base.resolve("pliant").resolve("jobs");
  }

  /// Where a job lives on this machine, whether it is there or not.
  public static Path path(JobId job) {
    return path(jobs(System.getenv(), Path.of(System.getProperty("user.home"))), job);
  }

  private static Path path(Path jobs, JobId job) {
    return jobs.resolve(job.namespace()).resolve(job.name());
  }

  /// Takes the folder of `job` below `jobs`, made where there is none.
  ///
  /// @throws PliantException where another supervisor holds it
  static JobFolder take(Path jobs, JobId job) {
    Path path = path(jobs, job);
    try {
      FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
      Files.createDirectories(path, mode);
      Files.setPosixFilePermissions(path, OWNER_ONLY);
      Path lock = path.resolve("lock");
      FileChannel channel =
          FileChannel.open(
              lock, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (!locked(channel)) {
        channel.close();
        throw new PliantException(
            ErrorCode.JOB_EXISTS,
            "job %s is running already, by %s; stop that one first, or give this one another name with --name."
                .formatted(job, Files.readString(lock).strip()));
      }
      return new JobFolder(job, path, channel);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use the job's folder " + path, e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /// Writes down who holds the lock, for whoever finds it taken.
  void sayHolder(String who) throws IOException {
    lockFile.truncate(0);
    lockFile.write(ByteBuffer.wrap((who + "\n").getBytes(StandardCharsets.UTF_8)), 0);
  }

  Path path() {
    return path;
  }

  Path logs() {
    return path.resolve("logs");
  }

  Path result() {
    return path.resolve("result.json");
  }

  /// Whether a job of this name has run here before.
  boolean used() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.anyMatch(file -> !file.getFileName().toString().equals("lock"));
    }
  }

  /// Makes the folder ready for a run.
  void prepare(boolean resume, boolean replace) throws IOException {
    if (used() && !resume && !replace) {
      throw new PliantException(
          ErrorCode.JOB_EXISTS,
          "job %s %s; continue it with --resume, start it anew with --replace, or give this one another name with --name."
              .formatted(
                  job, Files.exists(result()) ? "has run before" : "was begun and not finished"));
    }
    Children.of(path).awaitEnd();
    if (replace) {
      clear();
    }
    Files.deleteIfExists(result());
    Files.createDirectories(logs());
  }

  /// Deletes everything but the lock, which is held.
  private void clear() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        if (!file.equals(path) && !file.equals(path.resolve("lock"))) {
          Files.delete(file);
        }
      }
    }
  }

  /// Gives the folder back; a crash does the same.
  @Override
  public void close() {
    try {
      lockFile.truncate(0);
      lockFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.pliant.cli.run;

import dev.pliant.cli.jobs.StateHome;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
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
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where a job lives on this machine, held by one supervisor at a time.
///
/// | name | what |
/// |---|---|
/// | `job.json` | what the supervisor wants of the master |
/// | `journal/` | what its masters decided |
/// | `master.json`, `ca.pem`, `token` | where the master is, how to trust it, how to be let in |
/// | `lock` | locked by the supervisor, and says who that is |
/// | `children` | processes of the supervisor, for the next one to wait for |
/// | `nodes/` | the nodes' processes, and how they ended |
/// | `logs/` | one file a process |
/// | `result.json` | how the last run ended |
public final class JobFolder implements AutoCloseable {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private static final Duration NODE_GRACE = Duration.ofSeconds(5);

  private final JobId job;
  private final Path path;
  private final FileChannel lockFile;

  private JobFolder(JobId job, Path path, FileChannel lockFile) {
    this.job = job;
    this.path = path;
    this.lockFile = lockFile;
  }

  /// Takes the folder of `job` below `jobs`, made where there is none.
  ///
  /// @throws PliantException where another supervisor holds it
  static JobFolder take(Path jobs, JobId job) {
    Path path = new StateHome(jobs).folder(job);
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

  /// Whether a job of this name has been here, running or not.
  static boolean taken(Path jobs, JobId job) throws IOException {
    Path path = new StateHome(jobs).folder(job);
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.findAny().isPresent();
    }
  }

  /// Makes the folder ready for a run.
  ///
  /// @param kept what a job that is replaced leaves to the new one
  /// @param logFolder where logs are to go instead of here, or null
  void prepare(boolean resume, boolean replace, List<Path> kept, @Nullable Path logFolder)
      throws IOException {
    if (used() && !resume && !replace) {
      throw new PliantException(
          ErrorCode.JOB_EXISTS,
          "job %s %s; continue it with --resume, start it anew with --replace, or give this one another name with --name."
              .formatted(
                  job, Files.exists(result()) ? "has run before" : "was begun and not finished"));
    }
    if (resume) {
      checkJournal();
    }
    Children.of(path).awaitEnd();
    if (replace) {
      LocalNodes.of(path).end(NODE_GRACE); // Else the new master takes them over.
      clear(kept);
    }
    Files.deleteIfExists(result());
    if (logFolder != null && !Files.exists(logs())) {
      Path elsewhere = logFolder.resolve(job.name());
      Files.createDirectories(elsewhere);
      Files.createSymbolicLink(logs(), elsewhere.toRealPath());
    }
    if (!Files.isDirectory(logs())) {
      Files.createDirectories(logs());
    }
  }

  /// Refuses a journal that no master can read, before masters are started and fail one by one.
  private void checkJournal() throws IOException {
    Path journal = path.resolve("journal");
    if (Files.isDirectory(journal)) {
      try (JournalStore store = JournalStores.open(JournalLocation.folder(journal), job)) {
        store.checkVersion();
      }
    }
  }

  /// Deletes everything but the lock, which is held, and `kept`, where that lies in the folder.
  private void clear(List<Path> kept) throws IOException {
    List<Path> inside = kept.stream().filter(k -> k.startsWith(path) && !k.equals(path)).toList();
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        boolean stays = inside.stream().anyMatch(k -> file.startsWith(k) || k.startsWith(file));
        if (!stays && !file.equals(path) && !file.equals(path.resolve("lock"))) {
          Files.delete(file);
        }
      }
    }
  }

  /// Deletes a job that nobody runs, with its folder.
  ///
  /// @throws PliantException where somebody runs it
  public static void delete(Path jobs, JobId job) throws IOException {
    try (JobFolder folder = take(jobs, job)) {
      Children.of(folder.path).awaitEnd();
      LocalNodes.of(folder.path).end(NODE_GRACE);
      folder.clear(List.of());
      Files.delete(folder.path.resolve("lock"));
      Files.delete(folder.path);
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

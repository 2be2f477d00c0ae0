package dev.pliant.cli.local;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.DeletedJob.Checkpoints;
import dev.pliant.cli.jobs.ShellWord;
import dev.pliant.master.JobPlanFile;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The checkpoints of all runs of a job that lie outside of its folder, in PATH/NAMESPACE/NAME.
/// What a symbolic link points to is not touched.
///
/// @param namespace PATH/NAMESPACE
/// @param folder PATH/NAMESPACE/NAME
/// @param count how many checkpoints there are
/// @param bytes how large all files there are together
record LocalCheckpoints(Path namespace, Path folder, int count, long bytes) {
  private static final Pattern CHECKPOINT = Pattern.compile("checkpoint-[0-9]{1,18}");

  /// Those of the job whose folder that is, if it has any.
  ///
  /// @throws PliantException where its `job.json` cannot be read
  static Optional<LocalCheckpoints> find(JobId job, Path jobFolder) throws IOException {
    JobPlan.Checkpointing checkpoint =
        JobPlanFile.read(jobFolder).map(JobPlan::checkpoint).orElse(null);
    if (checkpoint == null) {
      return Optional.empty();
    }
    Path path = jobFolder.resolve(checkpoint.path()).normalize();
    Path namespace = path.resolve(job.namespace());
    Path folder = namespace.resolve(job.name());
    if (path.startsWith(jobFolder) || !Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    Counter counter = new Counter();
    if (isReal(namespace) && isReal(folder)) {
      Files.walkFileTree(folder, counter);
    }
    return Optional.of(new LocalCheckpoints(namespace, folder, counter.count, counter.bytes));
  }

  private static boolean isReal(Path folder) {
    return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS);
  }

  /// Before anything of the job is deleted.
  ///
  /// @throws PliantException where they cannot be deleted safely
  void checkDeletable() {
    for (Path checked : new Path[] {namespace, folder}) {
      if (!isReal(checked)) {
        throw new PliantException(
            ErrorCode.NOT_ALLOWED,
            "%s is a symbolic link or a file, not a folder, so --checkpoints does not delete what is there. Nothing was deleted; delete the job without --checkpoints."
                .formatted(checked));
      }
    }
  }

  void delete() throws IOException {
    checkDeletable();
    Files.walkFileTree(folder, new Deleter());
    try {
      Files.delete(namespace);
    } catch (DirectoryNotEmptyException e) {
      // Others of the namespace have theirs there.
    }
  }

  Checkpoints described(boolean deleted) {
    return new Checkpoints(deleted, null, folder.toString(), count, bytes);
  }

  String deletedLine() {
    return "Deleted %s in %s (%s)."
        .formatted(Amounts.count(count, "checkpoint"), folder, Amounts.bytes(bytes));
  }

  String keptLine() {
    return "Checkpoints stay: %,d in %s (%s). To delete them: rm -r %s"
        .formatted(count, folder, Amounts.bytes(bytes), ShellWord.quoted(folder.toString()));
  }

  private static final class Counter extends SimpleFileVisitor<Path> {
    private int count;
    private long bytes;

    @Override
    public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
      if (CHECKPOINT.matcher(String.valueOf(visited.getFileName())).matches()) {
        count++;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      bytes += attributes.isRegularFile() ? attributes.size() : 0;
      return FileVisitResult.CONTINUE;
    }
  }

  private static final class Deleter extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException fault)
        throws IOException {
      if (fault != null) {
        throw fault;
      }
      Files.delete(visited);
      return FileVisitResult.CONTINUE;
    }
  }
}

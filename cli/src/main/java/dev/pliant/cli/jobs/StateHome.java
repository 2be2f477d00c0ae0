package dev.pliant.cli.jobs;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The folder that has a folder for each job of this machine, by namespace and name.
public record StateHome(Path jobs) {

  /// `$XDG_STATE_HOME/pliant/jobs`, by default below `~/.local/state`.
  public static StateHome of(Map<String, String> environment, Path home) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path base = Path.of(state).isAbsolute() ? Path.of(state) : home.resolve(".local/state");
    return new StateHome(base.resolve("pliant").resolve("jobs"));
  }

  /// This user's.
  public static StateHome ofThisUser() {
    return of(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /// Where a job lives, whether it is there or not.
  public Path folder(JobId job) {
    return jobs.resolve(job.namespace()).resolve(job.name());
  }

  /// The folder of a job that is there.
  ///
  /// @throws PliantException where there is no such job
  public Path existing(JobId job) {
    Path folder = folder(job);
    if (!isJob(folder)) {
      throw new PliantException(
          ErrorCode.UNKNOWN_JOB,
          "there is no job %s on this machine; 'pliant get jobs' lists those that are."
              .formatted(job));
    }
    return folder;
  }

  /// Every job, by namespace and name.
  public List<JobId> list() throws IOException {
    List<JobId> found = new ArrayList<>();
    for (Path namespace : folders(jobs)) {
      for (Path job : folders(namespace)) {
        if (isJob(job)) {
          found.add(new JobId(namespace.getFileName().toString(), job.getFileName().toString()));
        }
      }
    }
    found.sort(Comparator.comparing(JobId::namespace).thenComparing(JobId::name));
    return found;
  }

  /// A folder that a supervisor has used; an empty one with a lock alone is none.
  private static boolean isJob(Path folder) {
    return Files.exists(folder.resolve("journal"))
        || Files.exists(folder.resolve("job.json"))
        || Files.exists(folder.resolve("result.json"));
  }

  private static List<Path> folders(Path parent) throws IOException {
    if (!Files.isDirectory(parent)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(parent)) {
      return entries.filter(Files::isDirectory).toList();
    }
  }
}

package dev.pliant.cli.local;

import dev.pliant.cli.jobs.DeletedJob;
import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.cli.jobs.JobEvents;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.RunningJob;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.cli.jobs.WaitNotes;
import dev.pliant.cli.run.JobFolder;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The jobs in this user's state folder.
public final class LocalJobs implements Jobs {
  /// The usual namespace.
  public static final String NAMESPACE = "default";

  private static final Duration EVENTS_PAUSE = Duration.ofMillis(300);
  private static final Duration STOP_BOUND = Duration.ofSeconds(90);
  private static final Duration STOP_PAUSE = Duration.ofMillis(100);

  private final StateHome home;
  private final String namespace;

  public LocalJobs(StateHome home, String namespace) {
    this.home = home;
    this.namespace = namespace;
  }

  @Override
  public String namespace() {
    return namespace;
  }

  @Override
  public List<JobInfo> list(Namespaces which) throws IOException {
    List<JobInfo> jobs = new ArrayList<>();
    for (JobId job : names(which)) {
      jobs.add(JobInfo.read(home, job));
    }
    return jobs;
  }

  @Override
  public List<JobId> names(Namespaces which) throws IOException {
    return home.list().stream()
        .filter(job -> which == Namespaces.ALL || job.namespace().equals(namespace))
        .toList();
  }

  @Override
  public JobInfo find(JobId job) throws IOException {
    return JobInfo.read(home, job);
  }

  @Override
  public List<JobEvent> lastEvents(JobId job, int count) throws IOException {
    Path folder = home.existing(job);
    return Files.isDirectory(folder.resolve("journal"))
        ? new JobEvents(job, folder).last(count)
        : List.of();
  }

  @Override
  public void events(JobId job, boolean follow, Consumer<JobEvent> sink)
      throws IOException, InterruptedException {
    JobEvents events = new JobEvents(job, home.existing(job));
    events.more(sink);
    while (follow && JobInfo.runsNow(home, job)) {
      Thread.sleep(EVENTS_PAUSE);
      events.more(sink);
    }
  }

  @Override
  public void logs(JobId job, LogWish wish, LogFollower.Sink sink)
      throws IOException, InterruptedException {
    new LocalLogs(home, job, wish, sink).show();
  }

  @Override
  public String scale(JobId job, int workers) throws IOException {
    try (JobClient client = RunningJob.client(home, job)) {
      return client.scale(workers, RunningJob.user() + " by 'pliant scale'");
    }
  }

  @Override
  public String stop(JobId job, Consumer<String> meanwhile)
      throws IOException, InterruptedException {
    try (JobClient client = RunningJob.client(home, job)) {
      client.stop(RunningJob.user() + " by 'pliant stop'", JobClient.PATIENCE);
    }
    WaitNotes notes = new WaitNotes(meanwhile, System.nanoTime());
    long end = System.nanoTime() + STOP_BOUND.toNanos();
    while (JobInfo.holder(home.existing(job)).isPresent()) { // Then anybody may take it.
      if (System.nanoTime() - end > 0) {
        throw new PliantException(
            ErrorCode.STOPPING,
            "job %s was told to stop, but has not ended after %d s."
                .formatted(job, STOP_BOUND.toSeconds()));
      }
      notes.still("job %s has not stopped yet".formatted(job), System.nanoTime());
      Thread.sleep(STOP_PAUSE);
    }
    return "job %s is stopped.".formatted(job);
  }

  @Override
  public DeletedJob delete(JobId job, boolean checkpoints, Consumer<String> meanwhile)
      throws IOException {
    Optional<LocalCheckpoints> found = checkpoints(job, home.existing(job), checkpoints);
    if (checkpoints && found.isPresent()) {
      found.get().checkDeletable();
    }
    JobFolder.delete(home.jobs(), job);
    String line = "job %s is deleted.".formatted(job);
    if (found.isEmpty()) {
      return new DeletedJob(List.of(line), null);
    }
    if (checkpoints) {
      found.get().delete();
    }
    return new DeletedJob(
        List.of(line, checkpoints ? found.get().deletedLine() : found.get().keptLine()),
        found.get().described(checkpoints));
  }

  /// A job whose plan cannot be read can still be deleted; its checkpoints stay then.
  private static Optional<LocalCheckpoints> checkpoints(JobId job, Path folder, boolean wanted)
      throws IOException {
    try {
      return LocalCheckpoints.find(job, folder).filter(found -> wanted || found.count() > 0);
    } catch (PliantException e) {
      if (wanted) {
        throw e;
      }
      return Optional.empty();
    }
  }

  @Override
  public Path journalFolder(JobId job, String command) {
    return home.folder(job);
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}

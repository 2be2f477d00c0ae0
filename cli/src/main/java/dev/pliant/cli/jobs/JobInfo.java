package dev.pliant.cli.jobs;

import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What is known of a job.
///
/// @param began when it was first submitted
/// @param snapshot what its master says, where it runs and a master answers
/// @param result how its last run ended, where it has
public record JobInfo(
    JobId job,
    Place place,
    State state,
    Instant began,
    Optional<JobSnapshot> snapshot,
    Optional<PastRun> result) {

  /// How a job stands.
  public enum State {
    PENDING,
    RUNNING,
    STOPPING,
    /// Nothing of it runs until it is told to go on.
    SUSPENDED,
    SUCCEEDED,
    FAILED,
    STOPPED,
    /// Somebody runs it, but its master does not answer; the next one is on its way.
    AWAY,
    /// Nobody runs it, and it has no result: its supervisor was killed.
    CRASHED;

    public String word() {
      return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    }

    /// Whether somebody runs it.
    public boolean running() {
      return switch (this) {
        case PENDING, RUNNING, STOPPING, AWAY -> true;
        case SUSPENDED, SUCCEEDED, FAILED, STOPPED, CRASHED -> false;
      };
    }
  }

  private static final Pattern HOLDER = Pattern.compile("process (\\d{1,18}), since (\\S+)\\s*");
  private static final Duration NEXT_MASTER_BOUND = Duration.ofSeconds(2);

  /// Looks at a job of this machine; a master that does not answer is waited for as long as it
  /// takes to start one.
  public static JobInfo read(StateHome home, JobId job) throws IOException {
    Path folder = home.existing(job);
    Optional<ProcessHandle> supervisor = holder(folder);
    Optional<PastRun> result = PastRun.in(folder);
    Optional<JobSnapshot> snapshot = Optional.empty();
    if (supervisor.isPresent() && result.isEmpty()) {
      try (JobClient client = new JobClient(folder)) {
        snapshot = client.get(masterLives(folder) ? JobClient.PATIENCE : NEXT_MASTER_BOUND);
      }
    }
    return new JobInfo(
        job,
        new Place.Folder(folder, supervisor),
        state(supervisor, snapshot, result),
        began(folder),
        snapshot,
        result);
  }

  /// Whether somebody runs the job now.
  public static boolean runsNow(StateHome home, JobId job) throws IOException {
    Path folder = home.existing(job);
    return holder(folder).isPresent() && PastRun.in(folder).isEmpty();
  }

  static State state(
      Optional<ProcessHandle> supervisor,
      Optional<JobSnapshot> snapshot,
      Optional<PastRun> result) {
    if (result.isPresent()) {
      return switch (result.get().outcome()) {
        case "succeeded" -> State.SUCCEEDED;
        case "stopped" -> State.STOPPED;
        default -> State.FAILED;
      };
    }
    if (supervisor.isEmpty()) {
      return State.CRASHED;
    }
    return snapshot
        .map(job ->
            switch (job.phase()) {
              case PENDING -> State.PENDING;
              case RUNNING -> State.RUNNING;
              case SUSPENDED -> State.SUSPENDED;
              // The supervisor has not summed it up yet.
              case STOPPING, SUCCEEDED, FAILED, STOPPED -> State.STOPPING;
            })
        .orElse(State.AWAY);
  }

  /// Whether the process lives that was the job's master last.
  public static boolean masterLives(Path folder) throws IOException {
    if (!Files.exists(folder.resolve(MasterRecord.FILE))) {
      return false;
    }
    try {
      long pid = MasterRecord.read(folder).pid();
      return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    } catch (IOException e) {
      return false;
    }
  }

  /// Who holds the job's lock, by what the lock says and whether that process still lives.
  public static Optional<ProcessHandle> holder(Path folder) throws IOException {
    Path lock = folder.resolve("lock");
    Matcher holder = HOLDER.matcher(Files.exists(lock) ? Files.readString(lock) : "");
    if (!holder.matches()) {
      return Optional.empty();
    }
    Instant since;
    try {
      since = Instant.parse(holder.group(2));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(holder.group(1)))
        .filter(ProcessHandle::isAlive)
        // A younger process has the number by chance.
        .filter(process ->
            process
                .info()
                .startInstant()
                .map(start -> !start.isAfter(since.plusSeconds(1)))
                .orElse(true));
  }

  private static Instant began(Path folder) throws IOException {
    Path plan = folder.resolve("job.json");
    Path token = folder.resolve("token"); // Made once, and kept over a resume.
    Path oldest = Files.exists(token) ? token : Files.exists(plan) ? plan : folder;
    return Files.getLastModifiedTime(oldest).toInstant();
  }
}

package dev.pliant.cli.jobs;

import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.JobServiceGrpc.JobServiceBlockingStub;
import dev.pliant.protocol.v1.ListEventsRequest;
import dev.pliant.protocol.v1.ListEventsResponse;
import dev.pliant.protocol.v1.ScaleJobRequest;
import dev.pliant.protocol.v1.ScaleJobResponse;
import dev.pliant.protocol.v1.StopJobRequest;
import dev.pliant.protocol.v1.StopJobResponse;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import dev.pliant.rpc.MasterTrouble;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Asks and tells a job's master. A master that is away is waited for: its supervisor starts the
/// next one within a moment.
public final class JobClient implements AutoCloseable {
  /// How long a master may be away before a command gives up.
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int EVENTS_PAGE = 1_000;
  private static final Duration CALL_LEAST = Duration.ofMillis(500);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final MasterConnection master;

  public JobClient(Path jobFolder) {
    this(new MasterLocation.MasterFile(jobFolder));
  }

  public JobClient(MasterLocation location) {
    this.master = new MasterConnection(location);
  }

  /// The job now, or empty where no master answers within `bound`.
  public Optional<JobSnapshot> get(Duration bound) {
    try {
      return Optional.of(
          call(bound, jobs -> JobSnapshot.of(jobs.getJob(GetJobRequest.getDefaultInstance()))));
    } catch (PliantException e) {
      return Optional.empty();
    }
  }

  /// Wishes another number of workers; returns what the master made of it, for people.
  public String scale(int workers, String who) {
    ScaleJobRequest request = ScaleJobRequest.newBuilder().setWorkers(workers).setWho(who).build();
    ScaleJobResponse answer = call(PATIENCE, jobs -> jobs.scaleJob(request));
    return answer.getMessage().isEmpty()
        ? "wished: %,d workers, of %,d to %,d"
            .formatted(
                answer.getCounts().getWish(),
                answer.getCounts().getMin(),
                answer.getCounts().getMax())
        : answer.getMessage();
  }

  /// Tells the master to end the job in order.
  public void stop(String who, Duration bound) {
    StopJobRequest request = StopJobRequest.newBuilder().setWho(who).build();
    StopJobResponse unused = call(bound, jobs -> jobs.stopJob(request));
  }

  /// A page of the job's history.
  ///
  /// @param events oldest first
  /// @param next where the next page begins
  /// @param more whether there is more now
  public record EventPage(List<JobEvent> events, String next, boolean more) {}

  /// What happened after the page before.
  ///
  /// @param after where the page begins; empty for the job's beginning
  public EventPage events(String after, Duration bound) {
    ListEventsRequest request =
        ListEventsRequest.newBuilder().setPageToken(after).setPageSize(EVENTS_PAGE).build();
    ListEventsResponse answer = call(bound, jobs -> jobs.listEvents(request));
    return new EventPage(events(answer), answer.getNextPageToken(), answer.getMore());
  }

  /// What happened last, oldest first.
  public List<JobEvent> newestEvents(int count, Duration bound) {
    ListEventsRequest request =
        ListEventsRequest.newBuilder()
            .setNewest(true)
            .setPageSize(Math.clamp(count, 1, EVENTS_PAGE))
            .build();
    return events(call(bound, jobs -> jobs.listEvents(request)));
  }

  private static List<JobEvent> events(ListEventsResponse answer) {
    return answer.getEventsList().stream().map(JobEvent::of).toList();
  }

  private <T> T call(Duration bound, Function<JobServiceBlockingStub, T> call) {
    long end = System.nanoTime() + bound.toNanos();
    while (true) {
      try {
        // All the time there is: where nobody listens, a call fails at once.
        long left = Math.max(CALL_LEAST.toNanos(), end - System.nanoTime());
        return call.apply(master.jobs(Duration.ofNanos(left)));
      } catch (StatusRuntimeException e) {
        MasterTrouble trouble = MasterTrouble.of(e);
        boolean refused = trouble.kind() == MasterTrouble.Kind.REFUSED;
        if (refused || System.nanoTime() - end > 0 || !paused()) {
          throw trouble.error();
        }
        boolean unused = master.refresh();
      }
    }
  }

  private static boolean paused() {
    try {
      Thread.sleep(PAUSE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    master.close();
  }
}

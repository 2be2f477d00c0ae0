package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.Place;
import dev.pliant.cli.jobs.ReaderGone;
import dev.pliant.cli.kubernetes.JobInfos.Heard;
import dev.pliant.cli.run.ChangeNotes;
import dev.pliant.cli.run.ProgressLine;
import dev.pliant.cli.run.Screen;
import dev.pliant.cli.run.Speed;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Shows how far a cluster's job is, until it has ended: what its master says where it can be
/// asked, else what the cluster has written down. Ctrl-C leaves the job as it is. For one thread.
public final class ClusterFollow {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final Cluster cluster;
  private final ClusterObjects objects;
  private final JobNames names;
  private final Patience patience = new Patience();
  private final Speed speed = new Speed();
  private @Nullable MasterTunnel tunnel;
  private String tunnelTo = "";
  private @Nullable JobSnapshot shown;
  private @Nullable ElasticJobResource last;
  private List<Pod> seen = List.of();
  private String said = "";

  ClusterFollow(Cluster cluster, ClusterObjects objects, JobId job) {
    this.cluster = cluster;
    this.objects = objects;
    this.names = new JobNames(job);
  }

  /// Returns the job as it ended.
  ///
  /// @throws PliantException where it is gone meanwhile, and nobody has said how it ended
  /// @throws ReaderGone where nobody is there to see it; the job goes on
  public JobInfo follow(Screen screen) throws InterruptedException {
    try {
      while (true) {
        Optional<ElasticJobResource> found =
            patience.with(() -> Optional.of(objects.existing(names.job())), Optional.empty());
        if (found.isPresent()) {
          last = found.get();
          State state = JobInfos.state(found.get());
          if (!state.running()) {
            screen.endProgress();
            return ended(found.get());
          }
          show(found.get(), state, screen);
        }
        screen.checkWatched();
        Thread.sleep(PAUSE);
      }
    } catch (PliantException e) {
      screen.endProgress();
      if (e.code() != ErrorCode.UNKNOWN_JOB) {
        throw e;
      }
      return gone();
    } finally {
      closeTunnel();
    }
  }

  /// A job that has ended may be deleted, by its ttl or by somebody, before this has seen it so;
  /// its master may have said it.
  private JobInfo gone() {
    Optional<State> end = end(shown);
    if (last == null || end.isEmpty()) {
      throw new PliantException(ErrorCode.JOB_OVER, gone(names.job(), last));
    }
    JobInfo info =
        JobInfos.of(last, seen, new Heard(Optional.ofNullable(shown), ""), Instant.now());
    return new JobInfo(
        info.job(), info.place(), end.get(), info.began(), info.snapshot(), info.result());
  }

  /// How a job ended, by its master's last word; nothing where that was said before it had.
  static Optional<State> end(@Nullable JobSnapshot heard) {
    return heard == null
        ? Optional.empty()
        : switch (heard.phase()) {
          case SUCCEEDED -> Optional.of(State.SUCCEEDED);
          case FAILED -> Optional.of(State.FAILED);
          case STOPPED -> Optional.of(State.STOPPED);
          case PENDING, RUNNING, SUSPENDED, STOPPING -> Optional.empty();
        };
  }

  /// @param last what was seen of it last
  static String gone(JobId job, @Nullable ElasticJobResource last) {
    if (last != null && last.getMetadata().getDeletionTimestamp() != null) {
      return "job %s was deleted before it had ended.".formatted(job);
    }
    boolean kept = last != null && last.getSpec() != null && last.getSpec().ttl() == null;
    return kept
        ? "job %s is gone: it was deleted, and how it ended is not known.".formatted(job)
        : "job %s is gone: it was deleted, or it had ended and its 'spec.ttl' was over; how it ended is not known. A longer ttl keeps it until that is seen."
            .formatted(job);
  }

  /// With what its master said last: it goes when the job has ended.
  private JobInfo ended(ElasticJobResource job) {
    return JobInfos.of(job, pods(), new Heard(Optional.ofNullable(shown), ""), Instant.now());
  }

  /// Those that were seen last, while the cluster is away.
  private List<Pod> pods() {
    seen = patience.with(() -> objects.visiblePods(names), seen);
    return seen;
  }

  private void show(ElasticJobResource job, State state, Screen screen) {
    Optional<JobSnapshot> heard = ask(job);
    if (heard.isPresent()) {
      JobSnapshot now = heard.get();
      ChangeNotes.between(shown, now).forEach(screen::say);
      shown = now;
      speed.note(System.nanoTime(), now.done());
      screen.progress(
          ProgressLine.of(names.job().name(), now, speed.perSecond(), Duration.ZERO),
          System.nanoTime());
      return;
    }
    JobInfo info = JobInfos.of(job, pods(), Heard.NOTHING, Instant.now());
    if (info.place() instanceof Place.Cluster place) {
      String line = state.word() + (place.reason().isEmpty() ? "" : ": " + place.reason());
      String kind = line.replaceAll("\\d", ""); // How long it has been so is nothing new.
      if (!kind.equals(said)) {
        said = kind;
        screen.say(line);
      }
      screen.progress(
          "%s  %s · %d of %d workers"
              .formatted(
                  names.job().name(),
                  state.word().toLowerCase(Locale.ROOT),
                  place.workers().live(),
                  place.workers().wish()),
          System.nanoTime());
    }
  }

  /// Through a tunnel that is kept while the master's pod stays the same.
  private Optional<JobSnapshot> ask(ElasticJobResource job) {
    String pod = Optional.ofNullable(JobInfos.status(job).master()).orElse("");
    if (pod.isEmpty()) {
      return Optional.empty();
    }
    try {
      if (tunnel == null || !tunnelTo.equals(pod)) {
        closeTunnel();
        tunnel = MasterTunnel.open(cluster, names, pod);
        tunnelTo = pod;
      }
      JobClient client = tunnel.client();
      Optional<JobSnapshot> answer = client.get(ANSWER);
      if (answer.isEmpty()) {
        closeTunnel(); // The next one may reach it.
      }
      return answer;
    } catch (MasterTunnel.Closed e) {
      return Optional.empty();
    }
  }

  private void closeTunnel() {
    MasterTunnel open = tunnel;
    tunnel = null;
    if (open != null) {
      open.close();
    }
  }
}

package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.Place;
import dev.pliant.cli.jobs.Place.Condition;
import dev.pliant.cli.jobs.Place.PodView;
import dev.pliant.cli.jobs.Place.Workers;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a cluster has written down of a job, as every command shows it.
final class JobInfos {
  /// As long as an operator that runs may take to say something of a new job.
  static final Duration OPERATOR_PATIENCE = Duration.ofSeconds(15);

  private JobInfos() {}

  /// What its master said, or why it was not asked.
  ///
  /// @param silence why not; empty where it answered, or where there is nothing to say
  record Heard(Optional<JobSnapshot> snapshot, String silence) {
    static final Heard NOTHING = new Heard(Optional.empty(), "");

    static Heard silence(String why) {
      return new Heard(Optional.empty(), why);
    }
  }

  static JobInfo of(ElasticJobResource job, List<Pod> pods, Heard heard, Instant now) {
    JobStatus status = status(job);
    State state = state(job);
    Instant created =
        PodViews.instant(job.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH);
    List<PodView> views = PodViews.of(pods);
    Place place =
        new Place.Cluster(
            reason(job, status, Duration.between(created, now)),
            workers(job, status, views),
            orZero(status.restarts()),
            orEmpty(status.strategy()),
            orEmpty(status.mode()),
            orEmpty(status.master()),
            heard.silence(),
            PodViews.instant(status.completionTime()),
            conditions(status),
            views);
    return new JobInfo(
        id(job),
        place,
        state,
        PodViews.instant(status.startTime()).orElse(created),
        heard.snapshot(),
        Optional.empty());
  }

  static JobId id(ElasticJobResource job) {
    return new JobId(job.getMetadata().getNamespace(), job.getMetadata().getName());
  }

  static JobStatus status(ElasticJobResource job) {
    return Objects.requireNonNullElse(job.getStatus(), NO_STATUS);
  }

  private static final JobStatus NO_STATUS =
      new JobStatus(
          null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
          null, null, null, null, null, null);

  /// A job that is told to wait, to go on or to go is on its way there as soon as it was told.
  static State state(ElasticJobResource job) {
    JobStatePhase phase = status(job).phase();
    State said =
        switch (phase) {
          case null -> State.PENDING;
          case Pending -> State.PENDING;
          case Running -> State.RUNNING;
          case Stopping -> State.STOPPING;
          case Suspended -> suspended(job) ? State.SUSPENDED : State.PENDING;
          case Succeeded -> State.SUCCEEDED;
          case Failed -> State.FAILED;
          case Stopped -> State.STOPPED;
        };
    boolean toEnd = suspended(job) || job.getMetadata().getDeletionTimestamp() != null;
    return said.running() && toEnd ? State.STOPPING : said;
  }

  static boolean suspended(ElasticJobResource job) {
    return job.getSpec() != null && Boolean.TRUE.equals(job.getSpec().suspend());
  }

  /// Whether nothing will become of it any more, whatever is wished.
  static boolean over(State state) {
    return switch (state) {
      case SUCCEEDED, FAILED, STOPPED -> true;
      case PENDING, RUNNING, STOPPING, SUSPENDED, AWAY, CRASHED -> false;
    };
  }

  private static String reason(ElasticJobResource job, JobStatus status, Duration age) {
    if (job.getMetadata().getDeletionTimestamp() != null) {
      return "it is being deleted";
    }
    if (status.phase() == JobStatePhase.Suspended && !suspended(job)) {
      return "it is about to go on";
    }
    if (status.phase() == null) {
      return age.compareTo(OPERATOR_PATIENCE) < 0
          ? "it waits for Pliant's operator"
          : "no operator has taken it up for %s; does Pliant's operator run in this cluster? 'kubectl get pods -A -l app.kubernetes.io/name=pliant' shows it"
              .formatted(Amounts.roughly(age.toSeconds()));
    }
    return orEmpty(status.message());
  }

  private static Workers workers(ElasticJobResource job, JobStatus status, List<PodView> pods) {
    int running =
        (int)
            pods.stream()
                .filter(pod -> pod.node().startsWith(NodeId.WORKER + "-"))
                .filter(pod -> pod.phase().equals("Running"))
                .count();
    Optional<RoleBounds> bounds = bounds(job);
    return new Workers(
        status.readyReplicas() == null ? running : status.readyReplicas(),
        wish(status).or(() -> bounds.map(RoleBounds::wish)).orElse(0),
        Optional.ofNullable(status.minReplicas()).or(() -> bounds.map(RoleBounds::min)).orElse(0),
        Optional.ofNullable(status.maxReplicas()).or(() -> bounds.map(RoleBounds::max)).orElse(0));
  }

  /// The second number of `ready`: what the master wishes, which others may have bounded.
  private static Optional<Integer> wish(JobStatus status) {
    String ready = orEmpty(status.ready());
    int slash = ready.indexOf('/');
    String wish = slash < 0 ? "" : ready.substring(slash + 1);
    return wish.matches("\\d{1,9}") ? Optional.of(Integer.parseInt(wish)) : Optional.empty();
  }

  /// Whether the job's master hears that so many workers are wished, by the job itself: it does
  /// where that changes the job. Where it says the number already, and by a plan the master wishes
  /// another, it does not.
  ///
  /// @param wished what the master itself says, which is newer than the job's status, where it is
  ///   known
  static boolean hears(ElasticJobResource job, Optional<Integer> wished, int workers) {
    boolean changed = bounds(job).map(said -> said.wish() != workers).orElse(true);
    boolean other = wished.or(() -> wish(status(job))).map(wish -> wish != workers).orElse(false);
    return changed || !other;
  }

  /// None where the job means nothing; its conditions say what is wrong with it.
  static Optional<RoleBounds> bounds(ElasticJobResource job) {
    try {
      return Optional.of(RoleBounds.of(JobFile.of(job).spec(), Role.WORKER));
    } catch (PliantException e) {
      return Optional.empty();
    }
  }

  private static List<Condition> conditions(JobStatus status) {
    return status.conditions() == null
        ? List.of()
        : status.conditions().stream()
            .map(condition ->
                new Condition(
                    condition.getType(),
                    condition.getStatus(),
                    orEmpty(condition.getReason()),
                    orEmpty(condition.getMessage()),
                    PodViews.instant(condition.getLastTransitionTime()).orElse(Instant.EPOCH)))
            .toList();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }
}

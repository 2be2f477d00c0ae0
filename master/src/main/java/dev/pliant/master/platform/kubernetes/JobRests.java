package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.machine.nodes.Rest;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/// Whether a job of a cluster is to rest, and until when it did: its spec says the one, what the
/// operator remembers of it in its condition `Suspended` the other.
final class JobRests {
  private static final String FALSE = "False";

  private JobRests() {}

  static boolean isSuspended(ElasticJobResource job) {
    return job.getSpec() != null && Boolean.TRUE.equals(job.getSpec().suspend());
  }

  /// @param nowMillis where the operator has yet to notice that the job goes on, it rested until
  ///   now
  static Rest of(ElasticJobResource job, long nowMillis) {
    if (isSuspended(job)) {
      return new Rest(true, 0);
    }
    JobStatus status = job.getStatus();
    List<Condition> conditions =
        status == null || status.conditions() == null ? List.of() : status.conditions();
    return conditions.stream()
        .filter(condition -> JobStatus.SUSPENDED.equals(condition.getType()))
        .findFirst()
        .map(condition -> new Rest(false, until(condition, nowMillis)))
        .orElse(Rest.NONE);
  }

  private static long until(Condition suspended, long nowMillis) {
    String since = Objects.requireNonNullElse(suspended.getLastTransitionTime(), "");
    return FALSE.equals(suspended.getStatus()) && !since.isEmpty()
        ? Instant.parse(since).toEpochMilli()
        : nowMillis;
  }
}

package dev.pliant.operator.decision;

import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.PodWaiting;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What matters of a pod.
///
/// @param role a role's label, `master` or `cleaner`
/// @param ours whether its owner is this job, and not one of the same name that was deleted
/// @param grace while it is being deleted, how many seconds it was given; null otherwise
/// @param endedAt when its last container ended, where it has ended
/// @param waiting why it does not start, or null
public record PodView(
    String name,
    String uid,
    String role,
    boolean ours,
    Stage stage,
    boolean ready,
    @Nullable Long grace,
    Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable PodWaiting waiting) {
  /// Where a pod is in its life.
  public enum Stage {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED
  }

  public boolean isMaster() {
    return role.equals(JobNames.MASTER);
  }

  /// Whether it deletes the folders of a deleted job.
  public boolean isCleaner() {
    return role.equals(JobNames.CLEANER);
  }

  public boolean ended() {
    return stage == Stage.SUCCEEDED || stage == Stage.FAILED;
  }

  public boolean deleting() {
    return grace != null;
  }

  /// Whether it runs or will run, and nobody has told it to go.
  public boolean stays() {
    return !ended() && !deleting();
  }

  /// When it ended; a pod that does not say so has ended when it began.
  public Instant end() {
    return endedAt == null ? createdAt : endedAt;
  }

  /// The last part of its name, or -1 where that is no number.
  public int number() {
    String last = name.substring(name.lastIndexOf('-') + 1);
    return last.matches("[0-9]{1,9}") ? Integer.parseInt(last) : -1;
  }
}

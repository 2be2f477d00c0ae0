package dev.pliant.operator.decision;

import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.kubernetes.ClaimFolder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Something to do in the cluster. Each is harmless when it was done before.
public sealed interface Action {
  /// Makes the object, or makes it what this operator makes of it.
  record ApplyObject(JobObject object) implements Action {}

  /// Asks the API server what it thinks of the job's pods, without making any.
  record TryTemplates() implements Action {}

  record DeleteObject(JobObject object) implements Action {}

  /// @param number counts the job's masters, from 0
  record CreateMaster(int number) implements Action {}

  record CreateNode(PodPlan node) implements Action {}

  /// @param uid of the very pod that is meant
  /// @param grace in seconds; null for what the pod itself asks for
  record DeletePod(String name, String uid, @Nullable Long grace) implements Action {}

  /// Says on the plan what became of it.
  ///
  /// @param version of the plan that this was decided from: on another it is not said, for what was
  ///   made is recorded there, and a list that is older than it must not take its place
  record RecordPlan(ScalePlanStatus status, String version) implements Action {}

  /// Writes how many workers the job begins with to where `kubectl scale` looks, unless somebody
  /// else has.
  record FillReplicas(int replicas) implements Action {}

  /// Writes the same where users have changed the number directly under `spec` since, whoever wrote
  /// the other.
  record FollowReplicas(int replicas) implements Action {}

  /// Deletes the job itself, and with it all that it owns.
  record DeleteJob() implements Action {}

  /// Has Kubernetes keep the job, once it is deleted, until its folders on claims are deleted.
  record AddFinalizer() implements Action {}

  record RemoveFinalizer() implements Action {}

  /// Makes the pod that deletes a deleted job's folders on claims.
  record CreateCleaner(List<ClaimFolder> folders) implements Action {
    public CreateCleaner {
      folders = List.copyOf(folders);
    }
  }
}

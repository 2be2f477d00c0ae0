package dev.pliant.cli.jobs;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Where a job lives, and what only that place knows of it.
public sealed interface Place {
  /// For people, in a word: the folder, or the pod of its master.
  String word();

  /// A folder of this machine.
  ///
  /// @param supervisor the process that runs it now, if one does
  record Folder(Path path, Optional<ProcessHandle> supervisor) implements Place {
    @Override
    public String word() {
      return path.toString();
    }
  }

  /// A Kubernetes cluster. What its master would say is known only where one can be asked; this is
  /// what the cluster itself has written down.
  ///
  /// @param reason why it is in its state, for people; empty where there is nothing to say
  /// @param workers how many run, are wished, and between which bounds
  /// @param relaunches nodes that took the place of one that ended
  /// @param master its pod; empty where there is none
  /// @param silence why the master was not asked; empty where it was, or where there is none
  /// @param ended when it ended, if it has
  /// @param pods those of its master first, then of its nodes
  record Cluster(
      String reason,
      Workers workers,
      int relaunches,
      String strategy,
      String mode,
      String master,
      String silence,
      Optional<Instant> ended,
      List<Condition> conditions,
      List<PodView> pods)
      implements Place {
    public Cluster {
      conditions = List.copyOf(conditions);
      pods = List.copyOf(pods);
    }

    @Override
    public String word() {
      return master.isEmpty() ? "-" : master;
    }
  }

  /// @param max 0 where nothing has said it yet
  record Workers(int live, int wish, int min, int max) {}

  /// One statement about a job that holds, does not hold, or is not known to.
  record Condition(String type, String status, String reason, String message, Instant since) {}

  /// A pod of a job.
  ///
  /// @param node `worker-0`, or `master`
  /// @param reason in a word: why it waits or has ended; empty while it runs
  /// @param machine where it runs; empty where that is not decided
  record PodView(
      String name,
      String node,
      String phase,
      String reason,
      String message,
      int restarts,
      String machine,
      Instant created) {}
}

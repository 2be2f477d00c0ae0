package dev.pliant.cli.jobs;

import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/// The jobs of one place: this machine, or a cluster. Every command that looks at jobs or changes
/// them goes through here, so that it says the same of both. A job that is not there is a
/// [PliantException] that says so.
public interface Jobs extends AutoCloseable {
  /// The namespace of names that come without one.
  String namespace();

  /// Every job of one namespace, or of all; by namespace and name.
  List<JobInfo> list(Namespaces which) throws IOException;

  /// The names of the same jobs, without asking any of them how far it is.
  List<JobId> names(Namespaces which) throws IOException;

  JobInfo find(JobId job) throws IOException;

  /// What happened last, at most `count` things, oldest first.
  List<JobEvent> lastEvents(JobId job, int count) throws IOException;

  /// What happened to a job, in order; with `follow` until it has ended.
  void events(JobId job, boolean follow, Consumer<JobEvent> sink)
      throws IOException, InterruptedException;

  /// What a job's processes have printed.
  void logs(JobId job, LogWish wish, LogFollower.Sink sink)
      throws IOException, InterruptedException;

  /// Wishes another number of workers; what came of it, for people.
  String scale(JobId job, int workers) throws IOException;

  /// Ends a job in order and waits, bounded, until that is done; what came of it, for people.
  ///
  /// @param meanwhile hears what is waited for, where that takes long
  String stop(JobId job, Consumer<String> meanwhile) throws IOException, InterruptedException;

  /// Deletes a job and waits, bounded, until nothing is left of it.
  ///
  /// @param checkpoints whether its checkpoints are deleted, too, where they lie outside of the job
  /// @param meanwhile hears what is waited for, where that takes long
  DeletedJob delete(JobId job, boolean checkpoints, Consumer<String> meanwhile)
      throws IOException, InterruptedException;

  /// The folder with the job's journal, on this machine.
  ///
  /// @param command the command that reads it
  /// @throws PliantException where it lies elsewhere, and how to get at it
  Path journalFolder(JobId job, String command) throws IOException;

  @Override
  void close();

  /// Which namespaces a list is about.
  enum Namespaces {
    /// The one of names that come without one.
    OWN,
    ALL
  }

  /// What of a job's logs is wanted.
  ///
  /// @param worker of this worker alone; empty for all
  /// @param tail the last lines alone; negative for all
  /// @param all those of the master, too
  /// @param follow go on with what is printed from now on
  record LogWish(String worker, int tail, boolean all, boolean follow) {}
}

package dev.pliant.cli;

import dev.pliant.cli.run.RunRequest.Start;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// Which checkpoint a new run starts from. A mixin of every command that starts jobs.
final class StartOptions {
  @Option(
      names = "--from-checkpoint",
      paramLabel = "PATH|latest",
      description =
          "Start a new run with the model and optimizer of a checkpoint: 'latest' is the newest one"
              + " of an earlier run of this job; PATH is a checkpoint, or a folder that has some."
              + " The data starts at the beginning.")
  @Nullable String from;

  @Option(
      names = "--with-data-position",
      description =
          "With --from-checkpoint: skip the records that the checkpoint's run has trained. They are"
              + " counted as taken over.")
  boolean withDataPosition;

  /// What was asked for, or null.
  ///
  /// @param resume whether the job is resumed, which goes on from its own checkpoints
  @Nullable Start start(boolean resume, CommandLine command) {
    if (from == null) {
      if (withDataPosition) {
        throw new ParameterException(
            command, "--with-data-position goes with --from-checkpoint; name a checkpoint");
      }
      return null;
    }
    if (resume) {
      throw new ParameterException(
          command,
          "--resume goes on from the job's own checkpoints, so --from-checkpoint does not go with it; use --replace to start a new run");
    }
    if (from.isBlank()) {
      throw new ParameterException(command, "--from-checkpoint is empty; write a path or 'latest'");
    }
    return new Start(from, withDataPosition);
  }
}

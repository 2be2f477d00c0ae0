package dev.pliant.cli;

import picocli.CommandLine.Option;

/// What to do about an earlier job of the same name: one of these, or neither. As an `ArgGroup` of
/// every command that starts jobs.
final class Again {
  @Option(names = "--resume", description = "Go on with a job of this name where it was left.")
  boolean resume;

  @Option(
      names = "--replace",
      description =
          "Delete a job of this name and start anew. Its checkpoints stay; the new run does not use"
              + " them unless --from-checkpoint says so.")
  boolean replace;
}

package dev.pliant.cli.run;

import java.nio.file.Path;
import java.util.List;

/// What `pliant verify` says about a job whose master has ended, for the end of a run.
final class JobVerification {
  private JobVerification() {}

  /// The fate of the records of every dataset, a line each.
  static List<String> of(Path jobFolder) {
    return List.of();
  }
}

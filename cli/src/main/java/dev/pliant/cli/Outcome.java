package dev.pliant.cli;

import dev.pliant.model.JobId;

/// What came of a command that changed a job.
///
/// @param message for people
record Outcome(JobId job, String message) {
  /// One line.
  String printed(OutputFormat format) {
    return switch (format) {
      case text -> message;
      case json ->
          Json.object(json -> {
            json.writeStringField("job", job.toString());
            json.writeStringField("message", message);
          });
    };
  }
}

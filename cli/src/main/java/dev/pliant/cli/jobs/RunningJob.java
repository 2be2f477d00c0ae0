package dev.pliant.cli.jobs;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Path;

/// A job that somebody runs now, to speak with.
public final class RunningJob {
  private RunningJob() {}

  /// @throws PliantException where there is no such job, or nobody runs it
  public static JobClient client(StateHome home, JobId job) throws IOException {
    Path folder = home.existing(job);
    if (!JobInfo.runsNow(home, job)) {
      throw new PliantException(
          ErrorCode.JOB_OVER,
          "job %s does not run; 'pliant describe %s' shows how it ended."
              .formatted(job, JobText.name(job, "default")));
    }
    return new JobClient(folder);
  }

  /// Who wishes something, for a job's history.
  public static String user() {
    return System.getProperty("user.name", "somebody");
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.RunningJob;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant stop`.
@Command(
    name = "stop",
    description = {
      "End a job that runs, in order: its workers first, then its master.",
      "",
      "As Ctrl-C does where it runs; 'pliant run ... --resume' goes on from there.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant stop digits",
    })
final class StopCommand implements Callable<Integer> {
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final Duration PAUSE = Duration.ofMillis(100);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Override
  public Integer call() throws IOException, InterruptedException {
    StateHome home = StateHome.ofThisUser();
    JobId id = JobId.parse(job);
    try (JobClient client = RunningJob.client(home, id)) {
      client.stop(RunningJob.user() + " by 'pliant stop'", JobClient.PATIENCE);
    }
    PrintWriter out = spec.commandLine().getOut();
    long end = System.nanoTime() + BOUND.toNanos();
    while (JobInfo.runsNow(home, id)) {
      if (System.nanoTime() - end > 0) {
        spec.commandLine()
            .getErr()
            .printf(
                "pliant: job %s was told to stop, but has not ended after %d s.%n",
                id, BOUND.toSeconds());
        spec.commandLine().getErr().flush();
        return Faults.FAILED;
      }
      Thread.sleep(PAUSE);
    }
    out.printf("job %s is stopped.%n", id);
    out.flush();
    return 0;
  }
}

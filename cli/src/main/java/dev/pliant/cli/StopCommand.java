package dev.pliant.cli;

import dev.pliant.cli.jobs.Jobs;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant stop`.
@Command(
    name = "stop",
    description = {
      "End a job that runs, in order: its workers first, then its master.",
      "",
      "As Ctrl-C does where it runs; 'pliant submit ... --resume' or 'pliant run ... --resume' goes"
          + " on from there. On a cluster it sets the job's 'suspend': nothing of it runs, and its"
          + " journal and checkpoints say where it was, if they are kept on a claim.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant stop digits",
      "  In a cluster, and on again:",
      "    $ pliant stop digits --on kubernetes",
      "    $ pliant submit digits.yaml --resume --on kubernetes",
    })
final class StopCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "How to print what came of it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (Jobs jobs = where.jobs()) {
      PrintWriter out = spec.commandLine().getOut();
      JobId id = where.job(jobs, job);
      out.println(new Outcome(id, jobs.stop(id, Faults.notesOf(spec))).printed(output));
      out.flush();
    }
    return 0;
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.Jobs;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant scale`.
@Command(
    name = "scale",
    description = {
      "Change the number of a job's workers while it runs.",
      "",
      "The job's master decides, within the job's bounds. Training goes on: it changes its group at"
          + " the end of a step, and every record is still trained once. On a cluster it does"
          + " what 'kubectl scale elasticjob' does, within the job's bounds; where the job says that number"
          + " already and its master wishes another, it writes a ScalePlan.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant scale digits --workers 3",
      "  $ pliant scale research/digits --workers 1",
      "  $ pliant scale digits --workers 8 --on kubernetes",
    })
final class ScaleCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Option(
      names = "--workers",
      required = true,
      paramLabel = "N",
      description = "How many workers it is to have.")
  int workers;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "How to print what came of it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException {
    if (workers < 1 || workers > JobPlan.MAX_NODES) {
      throw new ParameterException(
          spec.commandLine(),
          "--workers is %,d; it must be from 1 to %,d. To end a job, use 'pliant stop'"
              .formatted(workers, JobPlan.MAX_NODES));
    }
    PrintWriter out = spec.commandLine().getOut();
    try (Jobs jobs = where.jobs()) {
      JobId id = where.job(jobs, job);
      out.println(new Outcome(id, jobs.scale(id, workers)).printed(output));
    }
    out.flush();
    return 0;
  }
}

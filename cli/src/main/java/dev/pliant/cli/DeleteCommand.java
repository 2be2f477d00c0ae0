package dev.pliant.cli;

import dev.pliant.cli.jobs.Jobs;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant delete`.
@Command(
    name = "delete",
    description = {
      "Delete what is left of jobs that have ended: their journals, logs and results.",
      "",
      "A job of this machine that runs is not deleted; end it with 'pliant stop' first. One of a"
          + " cluster is, with all that it runs, as 'kubectl delete' does: the command waits until"
          + " nothing is left. Checkpoints lie where the job has put them, and stay.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant delete count",
      "  $ pliant delete count digits",
      "  $ pliant delete digits --on kubernetes",
    })
final class DeleteCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(
      arity = "1..*",
      paramLabel = "JOB",
      description = "The jobs: NAME, or NAMESPACE/NAME.")
  List<String> jobs;

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
    int exitCode = 0;
    try (Jobs place = where.jobs()) {
      List<JobId> named = jobs.stream().map(name -> where.job(place, name)).toList();
      for (JobId job : named) {
        int code = delete(place, job);
        exitCode = exitCode == 0 ? code : exitCode;
      }
    }
    return exitCode;
  }

  /// One that cannot be deleted keeps nobody from the others.
  private int delete(Jobs place, JobId job) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try {
      out.println(new Outcome(job, place.delete(job, Faults.notesOf(spec))).printed(output));
      out.flush();
      return 0;
    } catch (PliantException | IOException e) {
      return new Faults()
          .handleExecutionException(e, spec.commandLine(), spec.commandLine().getParseResult());
    }
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.Jobs;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
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

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try (Jobs place = where.jobs()) {
      for (String name : jobs) {
        out.println(place.delete(where.job(place, name)));
        out.flush();
      }
    }
    return 0;
  }
}

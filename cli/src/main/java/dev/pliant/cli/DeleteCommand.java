package dev.pliant.cli;

import dev.pliant.cli.jobs.StateHome;
import dev.pliant.cli.run.JobFolder;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant delete`.
@Command(
    name = "delete",
    description = {
      "Delete what is left of jobs that have ended: their journals, logs and results.",
      "",
      "A job that runs is not deleted; end it with 'pliant stop' first. Checkpoints lie where the"
          + " job has put them, and stay.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant delete count",
      "  $ pliant delete count digits",
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

  @Override
  public Integer call() throws IOException {
    StateHome home = StateHome.ofThisUser();
    PrintWriter out = spec.commandLine().getOut();
    for (String name : jobs) {
      JobId job = JobId.parse(name);
      home.existing(job);
      JobFolder.delete(home.jobs(), job);
      out.printf("job %s is deleted.%n", job);
    }
    out.flush();
    return 0;
  }
}

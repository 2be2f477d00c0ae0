package dev.pliant.cli;

import dev.pliant.cli.jobs.DeletedJob;
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
          + " nothing is left. A journal on a claim is deleted, too, unless the job has"
          + " 'spec.storage.onDelete: Retain'.",
      "",
      "Checkpoints outside of the job's own folder stay, and the command prints where they are."
          + " With --checkpoints they are deleted: on this machine those of all runs of the job, in"
          + " PATH/NAMESPACE/NAME; on a cluster those of this job, on the claim of"
          + " 'spec.checkpoint'.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant delete count",
      "  $ pliant delete count digits",
      "  $ pliant delete digits --checkpoints",
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

  @Option(names = "--checkpoints", description = "Delete the jobs' checkpoints, too.")
  boolean checkpoints;

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

  private String printed(JobId job, DeletedJob deleted) {
    return switch (output) {
      case text -> String.join(System.lineSeparator(), deleted.messages());
      case json ->
          Json.object(json -> {
            json.writeStringField("job", job.toString());
            json.writeStringField("message", String.join(" ", deleted.messages()));
            DeletedJob.Checkpoints left = deleted.checkpoints();
            if (left != null) {
              json.writeObjectFieldStart("checkpoints");
              left.fields(json);
              json.writeEndObject();
            }
          });
    };
  }

  /// One that cannot be deleted keeps nobody from the others.
  private int delete(Jobs place, JobId job) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try {
      out.println(printed(job, place.delete(job, checkpoints, Faults.notesOf(spec))));
      out.flush();
      return 0;
    } catch (PliantException | IOException e) {
      return new Faults()
          .handleExecutionException(e, spec.commandLine(), spec.commandLine().getParseResult());
    }
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.ReaderGone;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant events`.
@Command(
    name = "events",
    description = {
      "Show what happened to a job, and what was decided about it and why: masters, workers, groups,"
          + " checkpoints.",
      "",
      "It is read from the job's journal, beside a job that may be running. On a cluster the job's"
          + " master reads it while the job runs; after that, its newest decisions are shown. What the"
          + " cluster keeps of the job and its pods is added, by default for an hour.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant events digits",
      "  As they come:",
      "    $ pliant events digits -f",
      "  With what was decided from, one JSON object a line:",
      "    $ pliant events digits -o json",
    })
final class EventsCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job has ended.")
  boolean follow;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (Jobs jobs = where.jobs()) {
      jobs.events(where.job(jobs, job), follow, this::print);
    }
    return 0;
  }

  private void print(JobEvent event) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        switch (output) {
          case text -> event.line();
          case json -> Json.object(event::fields);
        });
    ReaderGone.orShow(out);
  }
}

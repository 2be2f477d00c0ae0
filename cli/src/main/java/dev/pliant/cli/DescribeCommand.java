package dev.pliant.cli;

import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobJson;
import dev.pliant.cli.jobs.JobText;
import dev.pliant.cli.jobs.Jobs;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant describe`.
@Command(
    name = "describe",
    description =
        "Show everything about a job: its workers, the group they form, its data, and what happened"
            + " last; of a cluster's job also its conditions and pods.",
    footer = {
      "",
      "Examples:",
      "  $ pliant describe digits",
      "  For a script:",
      "    $ pliant describe research/digits -o json",
      "  In a cluster:",
      "    $ pliant describe digits --on kubernetes",
    })
final class DescribeCommand implements Callable<Integer> {
  private static final int EVENTS = 10;

  /// The names are what users write after `-o`.
  enum Format {
    text,
    json,
    yaml
  }

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
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  Format output = Format.text;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException {
    try (Jobs jobs = where.jobs()) {
      JobId id = where.job(jobs, job);
      JobInfo info = jobs.find(id);
      PrintWriter out = spec.commandLine().getOut();
      switch (output) {
        case text -> {
          List<JobEvent> events = visibleEvents(jobs, id);
          JobText.description(info, events, Instant.now()).forEach(out::println);
        }
        case json -> out.println(Json.object(json -> JobJson.job(json, info)));
        case yaml -> out.print(Json.yaml(json -> JobJson.job(json, info)));
      }
      out.flush();
    }
    return 0;
  }

  /// Who may see a job need not be one who may see events.
  private List<JobEvent> visibleEvents(Jobs jobs, JobId id) throws IOException {
    try {
      return jobs.lastEvents(id, EVENTS);
    } catch (PliantException e) {
      if (e.code() != ErrorCode.NOT_ALLOWED) {
        throw e;
      }
      PrintWriter err = spec.commandLine().getErr();
      err.println("note: what happened last is left out: " + e.getMessage());
      err.flush();
      return List.of();
    }
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.cli.jobs.JobEvents;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobJson;
import dev.pliant.cli.jobs.JobText;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant describe`.
@Command(
    name = "describe",
    description =
        "Show everything about a job: its workers, the group they form, its data, and what happened"
            + " last.",
    footer = {
      "",
      "Examples:",
      "  $ pliant describe digits",
      "  For a script:",
      "    $ pliant describe research/digits -o json",
    })
final class DescribeCommand implements Callable<Integer> {
  private static final int EVENTS = 10;

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
  OutputFormat output = OutputFormat.text;

  @Override
  public Integer call() throws IOException {
    JobInfo info = JobInfo.read(StateHome.ofThisUser(), JobId.parse(job));
    PrintWriter out = spec.commandLine().getOut();
    switch (output) {
      case text -> {
        boolean journal = Files.isDirectory(info.folder().resolve("journal"));
        List<JobEvent> events =
            journal ? new JobEvents(info.job(), info.folder()).last(EVENTS) : List.of();
        JobText.description(info, events, Instant.now()).forEach(out::println);
      }
      case json -> out.println(Json.object(json -> JobJson.job(json, info)));
    }
    out.flush();
    return 0;
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobJson;
import dev.pliant.cli.jobs.JobText;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant get`.
@Command(
    name = "get",
    description = "List the jobs of this machine, those that run and those that have ended.",
    footer = {
      "",
      "Examples:",
      "  $ pliant get jobs",
      "  More columns:",
      "    $ pliant get jobs -o wide",
      "  One of them, for a script:",
      "    $ pliant get jobs digits -o json",
    })
final class GetCommand implements Callable<Integer> {
  /// The names are what users write.
  enum Kind {
    jobs,
    job
  }

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @Parameters(index = "0", paramLabel = "jobs", description = "What to list: jobs.")
  Kind kind = Kind.jobs;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description = "One job alone: NAME, or NAMESPACE/NAME.")
  @Nullable String name;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  ListFormat output = ListFormat.text;

  @Override
  public Integer call() throws IOException {
    StateHome home = StateHome.ofThisUser();
    List<JobId> wanted = name == null ? home.list() : List.of(JobId.parse(name));
    List<JobInfo> jobs = new ArrayList<>();
    for (JobId job : wanted) {
      jobs.add(JobInfo.read(home, job));
    }
    PrintWriter out = spec.commandLine().getOut();
    Json.Fields fields =
        name == null
            ? json -> JobJson.list(json, jobs)
            : json -> JobJson.job(json, jobs.getFirst());
    switch (output) {
      case text -> JobText.table(jobs, false, Instant.now()).forEach(out::println);
      case wide -> JobText.table(jobs, true, Instant.now()).forEach(out::println);
      case json -> out.println(Json.object(fields));
      case yaml -> out.print(Json.yaml(fields));
    }
    out.flush();
    return 0;
  }
}

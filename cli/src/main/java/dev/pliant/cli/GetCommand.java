package dev.pliant.cli;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobJson;
import dev.pliant.cli.jobs.JobText;
import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.Jobs.Namespaces;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant get`.
@Command(
    name = "get",
    description = {
      "List jobs, those that run and those that have ended.",
      "",
      "Those of this machine, of every namespace unless one is given; or those of a cluster, of one"
          + " namespace unless -A asks for all. How far a cluster's job is, only its master knows:"
          + " it is asked where you may read the job's Secret.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant get",
      "  More columns:",
      "    $ pliant get -o wide",
      "  Names alone, one a line:",
      "    $ pliant get -o name",
      "  One of them, for a script:",
      "    $ pliant get digits -o json",
      "  Of a cluster, in all namespaces:",
      "    $ pliant get --on kubernetes -A",
    })
final class GetCommand implements Callable<Integer> {
  /// What is listed where a word says it; any other first word is a job's name.
  private static final Set<String> KINDS = Set.of("jobs", "job");

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @Parameters(
      arity = "0..2",
      paramLabel = "[jobs] [NAME]",
      hideParamSyntax = true,
      description = "One job alone: NAME, or NAMESPACE/NAME (default: all jobs).")
  List<String> words = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  ListFormat output = ListFormat.text;

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Those of every namespace.")
  boolean allNamespaces;

  @Mixin Where where = new Where();

  private @Nullable String name;

  @Override
  public Integer call() throws IOException {
    name = name();
    try (Jobs jobs = where.jobs()) {
      if (output == ListFormat.name) {
        printNames(jobs);
        return 0;
      }
      print(jobs.namespace(), name == null ? jobs.list(namespaces()) : List.of(found(jobs, name)));
    }
    return 0;
  }

  /// The one job that is named, after `jobs` or without it; null where none is.
  private @Nullable String name() {
    List<String> names =
        !words.isEmpty() && KINDS.contains(words.getFirst())
            ? words.subList(1, words.size())
            : words;
    if (names.size() > 1) {
      throw new ParameterException(
          spec.commandLine(),
          "'pliant get' shows one job or all: '%s' is one name too many".formatted(names.get(1)));
    }
    return names.isEmpty() ? null : names.getFirst();
  }

  private JobInfo found(Jobs jobs, String wanted) throws IOException {
    return jobs.find(where.job(jobs, wanted));
  }

  /// Of this machine everything, where nothing else is said: there are not many.
  private Namespaces namespaces() {
    if (allNamespaces && where.namespaceGiven()) {
      throw new ParameterException(spec.commandLine(), "-A does not go with --namespace");
    }
    boolean all = allNamespaces || (where.on() == Where.On.local && !where.namespaceGiven());
    return all ? Namespaces.ALL : Namespaces.OWN;
  }

  /// As other commands take them: those of another namespace with it.
  private void printNames(Jobs jobs) throws IOException {
    List<JobId> names = name == null ? jobs.names(namespaces()) : List.of(found(jobs, name).job());
    PrintWriter out = spec.commandLine().getOut();
    for (JobId job : names) {
      out.println(job.namespace().equals(jobs.namespace()) ? job.name() : job.toString());
    }
    out.flush();
  }

  private void print(String namespace, List<JobInfo> jobs) {
    PrintWriter out = spec.commandLine().getOut();
    Json.Fields fields =
        name == null
            ? json -> JobJson.list(json, jobs)
            : json -> JobJson.job(json, jobs.getFirst());
    switch (output) {
      case name -> throw new IllegalStateException("names are printed before");
      case text -> table(namespace, jobs, false).forEach(out::println);
      case wide -> table(namespace, jobs, true).forEach(out::println);
      case json -> out.println(Json.object(fields));
      case yaml -> out.print(Json.yaml(fields));
    }
    out.flush();
  }

  private List<String> table(String namespace, List<JobInfo> jobs, boolean wide) {
    if (!jobs.isEmpty()) {
      return JobText.table(jobs, wide, namespace, Instant.now());
    }
    return List.of(
        switch (where.on()) {
          case local ->
              "no job has run on this machine; 'pliant run --help' shows how to start one.";
          case kubernetes ->
              "there is no job in %s; 'pliant submit --help' shows how to start one."
                  .formatted(allNamespaces ? "any namespace" : "namespace " + namespace);
        });
  }
}

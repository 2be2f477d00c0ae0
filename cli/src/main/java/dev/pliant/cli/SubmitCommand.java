package dev.pliant.cli;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.JobJson;
import dev.pliant.cli.jobs.JobText;
import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.cli.kubernetes.ClusterSubmit;
import dev.pliant.cli.local.LocalSubmit;
import dev.pliant.cli.run.DetachedRun.Started;
import dev.pliant.cli.run.RunRequest.Start;
import dev.pliant.cli.run.Screen;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant submit`.
@Command(
    name = "submit",
    description = {
      "Start a job and come back: on this machine as a process of its own, or in a cluster.",
      "",
      "On this machine it is 'pliant run' that goes on when the terminal is closed. In a cluster it"
          + " makes the ElasticJob that the file describes, which Pliant's operator takes up. The"
          + " file is checked first: what means nothing is said with its line and column, what a"
          + " cluster needs and the file lacks (image, command) is said, and the cluster looks at"
          + " the pods before there are any.",
      "",
      "With --follow it stays and shows how far the job is; Ctrl-C leaves the job running.",
    },
    exitCodeList = {
      "0:It is submitted; with --follow, the training ended well.",
      "1:It failed; standard error says why. With --follow also: the job did.",
      "2:The command line or the job file is invalid.",
    },
    footer = {
      "",
      "Examples:",
      "  On this machine:",
      "    $ pliant submit examples/count/job.yaml",
      "    $ pliant logs count -f",
      "  In the cluster of your kubeconfig, and stay until it has ended:",
      "    $ pliant submit job.yaml --on kubernetes --follow",
      "  Stop it, and go on where it was left, with what was changed in the file but for the number of",
      "  workers, which 'pliant scale' changes; or start anew:",
      "    $ pliant stop digits --on kubernetes",
      "    $ pliant submit job.yaml --on kubernetes --resume",
      "    $ pliant submit job.yaml --on kubernetes --replace",
      "  As a plugin of kubectl, where kubectl-pliant is on the PATH:",
      "    $ kubectl pliant submit job.yaml",
    })
final class SubmitCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB.yaml", description = "The job file.")
  Path file;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The job's name (default: as the file says).")
  @Nullable String name;

  @ArgGroup Again again = new Again();

  @Mixin StartOptions start = new StartOptions();

  @Option(
      names = {"-f", "--follow"},
      description = "Show how far it is, until it has ended.")
  boolean follow;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "How to print the job that was made, or how it ended: ${COMPLETION-CANDIDATES} (default:"
              + " ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException, InterruptedException {
    return switch (where.on()) {
      case local -> locally();
      case kubernetes -> inCluster();
    };
  }

  private int locally() throws IOException, InterruptedException {
    if (where.namespaceGiven()) {
      throw new ParameterException(
          spec.commandLine(), "on this machine the file says the namespace, not --namespace");
    }
    LocalSubmit submit = new LocalSubmit(StateHome.ofThisUser(), progress(), err());
    return switch (submit.submit(arguments())) {
      case Started.Failed(int exitCode) -> exitCode == 0 ? Faults.FAILED : exitCode;
      case Started.Runs runs -> {
        LocalSubmit.next(runs).forEach(progress()::println);
        progress().flush();
        yield ended(follow ? submit.follow(runs.job()) : found(runs.job()));
      }
    };
  }

  /// Those of the `pliant run` that is started.
  private List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("--detached"));
    if (name != null) {
      arguments.addAll(List.of("--name", name));
    }
    if (again.resume) {
      arguments.add("--resume");
    }
    if (again.replace) {
      arguments.add("--replace");
    }
    Start from = start.start(again.resume, spec.commandLine());
    if (from != null) {
      arguments.addAll(List.of("--from-checkpoint", from.from()));
      if (from.withDataPosition()) {
        arguments.add("--with-data-position");
      }
    }
    arguments.add(file.toString());
    return arguments;
  }

  private int inCluster() throws IOException, InterruptedException {
    try (ClusterSubmit submit = ClusterSubmit.to(where.cluster())) {
      JobId job =
          submit.submit(
              file,
              name,
              again.resume
                  ? ClusterSubmit.Again.RESUME
                  : again.replace ? ClusterSubmit.Again.REPLACE : ClusterSubmit.Again.REFUSE,
              start.start(again.resume, spec.commandLine()),
              note -> {
                err().println("note: " + note);
                err().flush();
              });
      submit.next(job).forEach(progress()::println);
      progress().flush();
      if (!follow) {
        return output == OutputFormat.json ? ended(found(job)) : 0;
      }
      Terminal terminal = output == OutputFormat.json ? Terminal.PLAIN : Terminal.ofThisProcess();
      return ended(
          submit.following(job).follow(new Screen(progress(), terminal, terminal.columns())));
    }
  }

  private JobInfo found(JobId job) throws IOException {
    try (Jobs jobs = where.jobs()) {
      return jobs.find(job);
    }
  }

  /// Prints how the job stands, where somebody wants to hear it, and what that makes the exit code.
  private int ended(JobInfo info) {
    PrintWriter out = spec.commandLine().getOut();
    if (output == OutputFormat.json) {
      out.println(Json.object(json -> JobJson.job(json, info)));
    } else if (follow) {
      out.println(JobText.ending(info, Instant.now()));
    }
    out.flush();
    return !follow || info.state() == State.SUCCEEDED ? 0 : Faults.FAILED;
  }

  /// What is said meanwhile; a program that reads the result shall find nothing else.
  private PrintWriter progress() {
    return output == OutputFormat.json ? err() : spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}

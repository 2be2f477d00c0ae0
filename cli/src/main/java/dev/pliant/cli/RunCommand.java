package dev.pliant.cli;

import dev.pliant.cli.run.LocalRun;
import dev.pliant.cli.run.RunPlan;
import dev.pliant.cli.run.RunResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant run`.
@Command(
    name = "run",
    description = {
      "Run a job on this machine to its end.",
      "",
      "Starts the job's master, an agent and its workers, shows how far they are, and starts the"
          + " master again should it die: the workers do not notice. Ctrl-C ends everything"
          + " cleanly; --resume goes on from there.",
    },
    exitCodeList = {
      "0:Every worker ended well, and every record is done.",
      "1:It failed, or data is left; standard error says why.",
      "2:It was called wrongly, or the job file means nothing.",
      "130:It was stopped by Ctrl-C; by SIGTERM, 143.",
    },
    footer = {
      "",
      "Examples:",
      "  Run the smallest example:",
      "    $ pliant run examples/count/job.yaml",
      "  Again, from the start, with four workers:",
      "    $ pliant run examples/count/job.yaml --replace --workers 4",
      "  Go on with a run that was stopped:",
      "    $ pliant run examples/count/job.yaml --resume",
      "  For a script: the result as one line of JSON, everything else on standard error:",
      "    $ pliant run examples/count/job.yaml --name nightly -o json",
    })
final class RunCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "FILE", description = "The job: an ElasticJob as YAML.")
  Path file;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Another name for the job than the file gives it.")
  @Nullable String name;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Another number of workers than the file asks for.")
  @Nullable Integer workers;

  @ArgGroup Again again = new Again();

  /// What to do about an earlier run of the same name: one of these, or neither.
  static final class Again {
    @Option(names = "--resume", description = "Go on with a job of this name where it was left.")
    boolean resume;

    @Option(
        names = "--replace",
        description = "Delete what is left of a job of this name, and start anew.")
    boolean replace;
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "How to print the result: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    RunPlan plan = RunPlan.of(file, name, workers, System.getenv());
    boolean json = output == OutputFormat.json;
    Terminal terminal = json ? Terminal.PLAIN : Terminal.ofThisProcess();
    RunResult result =
        new LocalRun(plan, again.resume, again.replace, json ? err : out, terminal).run();
    result.reasons().forEach(reason -> err.println("pliant: " + reason));
    err.flush();
    if (json) {
      out.println(result.json());
      out.flush();
    }
    return result.exitCode();
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.ShellWord;
import dev.pliant.cli.python.Pythons;
import dev.pliant.cli.run.LocalRun;
import dev.pliant.cli.run.RunPlan;
import dev.pliant.cli.run.RunRequest;
import dev.pliant.cli.run.RunRequest.Target;
import dev.pliant.cli.run.RunResult;
import dev.pliant.cli.run.WorkerRange;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/// `pliant run`.
@Command(
    name = "run",
    preprocessor = RunArguments.class,
    customSynopsis = {
      "pliant run [OPTIONS] JOB.yaml",
      "       pliant run [OPTIONS] SCRIPT.py [ARGUMENT...]",
      "       pliant run [OPTIONS] -m MODULE [ARGUMENT...]",
    },
    description = {
      "Run a job on this machine to its end: a job file, or a training script as it is.",
      "",
      "Starts the job's master, which starts the workers, shows how far they are, and starts the"
          + " master again should it die: the workers do not notice. Workers that die are replaced,"
          + " 'pliant scale' changes their number while it runs. Ctrl-C ends everything cleanly;"
          + " --resume goes on from there.",
      "",
      "A script that imports PyTorch gets a Python that has it: one of this machine's, or else it"
          + " is installed. torchrun's options are known, also spelt with underscores; options"
          + " without effect here are listed.",
    },
    exitCodeList = {
      "0:The training ended well, and every record is done.",
      "1:It failed, or data is left; standard error says why.",
      "2:The command line or the job file is invalid.",
      "130:It was stopped by Ctrl-C; by SIGTERM, 143.",
    },
    footer = {
      "",
      "Examples:",
      "  Train the digits example; grow and shrink it from another terminal:",
      "    $ pliant run examples/digits/job.yaml",
      "    $ pliant scale digits --workers 3",
      "  Your own script, with one to four workers:",
      "    $ pliant run --workers 1:4 train.py --epochs 5",
      "  As with torchrun:",
      "    $ pliant run --nnodes 2 --nproc_per_node 2 --max_restarts 3 train.py",
      "  Again from the start, or on from where it was left:",
      "    $ pliant run examples/count/job.yaml --replace --workers 4",
      "    $ pliant run examples/count/job.yaml --resume",
      "  Again, with the model that the last run ended with:",
      "    $ pliant run job.yaml --replace --from-checkpoint latest",
      "  For a script: the result as one line of JSON, everything else on standard error:",
      "    $ pliant run examples/count/job.yaml --name nightly -o json",
    })
final class RunCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(
      arity = "1..*",
      paramLabel = "JOB.yaml | SCRIPT.py",
      description = "What to run; what follows a script is given to it.")
  List<String> words;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The job's name (default: as the file says, or after the script).")
  @Nullable String name;

  @Option(
      names = {"--workers", "--nnodes"},
      paramLabel = "N|MIN:MAX",
      description =
          "How many workers; with MIN:MAX as many as MAX, going on with as few as MIN (default: as"
              + " the file says, or 1).")
  @Nullable String workers;

  @Option(
      names = "--nproc-per-node",
      paramLabel = "N",
      description = "Training processes in each worker (default: as the file says, or 1).")
  @Nullable String processes;

  @Option(
      names = "--max-restarts",
      paramLabel = "N",
      description =
          "How often a worker that fails by itself is replaced (default: as the file says, or 3)."
              + " A change of size, a kill or a preemption does not count.")
  @Nullable Integer restarts;

  @Option(
      names = "--elasticity",
      paramLabel = "HOW",
      description =
          "How the script takes a change of size: in-process, where it uses pliant.torch.Elastic;"
              + " restart, as under torchrun; none, where the workers are no group (default: by"
              + " what it imports).")
  @Nullable String elasticity;

  @Option(
      names = {"-m", "--module"},
      description = "SCRIPT.py is the name of a Python module.")
  boolean module;

  @Option(names = "--no-python", description = "SCRIPT.py is a program of another kind.")
  boolean noPython;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = "A variable for the workers' environment; may be given again.")
  Map<String, String> environment = new LinkedHashMap<>();

  @Option(
      names = "--log-dir",
      paramLabel = "DIR",
      description = "Keep the workers' logs in DIR/NAME (default: the job's folder).")
  @Nullable Path logFolder;

  @ArgGroup Again again = new Again();

  @Mixin StartOptions start = new StartOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "How to print the result: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  /// For `pliant submit`: the job goes on when whoever started it goes away.
  @Option(names = "--detached", hidden = true)
  boolean detached;

  @Mixin TorchrunOptions torchrun = new TorchrunOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkPlace(System.getenv());
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    boolean json = output == OutputFormat.json;
    Terminal terminal = json ? Terminal.PLAIN : Terminal.ofThisProcess();
    List<String> notes = torchrun.notes();
    RunPlan plan = plan(request());
    LocalRun run = new LocalRun(again.resume, again.replace, detached, json ? err : out, terminal);
    notes.forEach(run::say);
    plan.notes().forEach(run::say);
    Path home = Path.of(System.getProperty("user.home"));
    RunResult result = run.run(plan.on(new Pythons(System.getenv(), home, run)));
    if (detached) {
      result.reasons().forEach(run::say);
    } else {
      result.reasons().forEach(reason -> err.println("pliant: " + reason));
    }
    err.flush();
    if (json) {
      out.println(result.json());
      out.flush();
    }
    return result.exitCode();
  }

  /// Who says that jobs are in a cluster does not expect one to be trained here. A run that
  /// 'submit' has started was told where by that.
  void checkPlace(Map<String, String> environment) {
    if (detached || !"kubernetes".equals(environment.get("PLIANT_ON"))) {
      return;
    }
    boolean plugin = "kubectl".equals(environment.get("PLIANT_PLUGIN"));
    boolean file = !module && !noPython && RunArguments.isJobFile(words.getFirst());
    throw wrong(
        "'run' trains on this machine, and PLIANT_ON says kubernetes; '%s submit %s --follow' runs a job file in the cluster, and 'PLIANT_ON=local pliant run' runs it here"
            .formatted(
                plugin ? "kubectl pliant" : "pliant",
                file ? ShellWord.quoted(words.getFirst()) : "FILE"));
  }

  private static RunPlan plan(RunRequest request) {
    Path python = Path.of(System.getProperty("pliant.home", ""), "python").toAbsolutePath();
    return RunPlan.of(request, System.getenv(), Path.of("").toAbsolutePath(), python);
  }

  private RunRequest request() {
    return new RunRequest(
        target(),
        name,
        workers == null ? null : WorkerRange.parse("--workers", workers),
        processes == null ? null : processesPerNode(processes),
        restartCount(),
        elasticity == null ? null : Elasticity.of(elasticity),
        environment,
        logFolder == null ? null : logFolder.toAbsolutePath(),
        torchrun.lastCallMillis(),
        start.start(again.resume, spec.commandLine()));
  }

  private Target target() {
    String first = words.getFirst();
    List<String> rest = List.copyOf(words.subList(1, words.size()));
    if (module && noPython) {
      throw wrong("-m is for Python, so --no-python does not go with it");
    }
    if (module) {
      return new Target.Module(first, rest);
    }
    if (noPython) {
      return new Target.Program(first, rest);
    }
    if (!RunArguments.isJobFile(first)) {
      return new Target.Script(first, rest);
    }
    if (!rest.isEmpty()) {
      throw wrong("'%s' is one argument too many".formatted(rest.getFirst()));
    }
    return new Target.JobYaml(Path.of(first));
  }

  private @Nullable Integer restartCount() {
    if (restarts != null && (restarts < 0 || restarts > JobPlan.MAX_RESTARTS)) {
      throw wrong(
          "--max-restarts is %,d; it must be from 0 to %,d"
              .formatted(restarts, JobPlan.MAX_RESTARTS));
    }
    return restarts;
  }

  /// A number, or torchrun's words: `cpu` and `auto` count processors, `gpu` counts GPUs.
  private int processesPerNode(String text) {
    int gpus = gpus();
    int count =
        switch (text) {
          case "gpu" -> gpus;
          case "auto" -> gpus > 0 ? gpus : Runtime.getRuntime().availableProcessors();
          case "cpu" -> Runtime.getRuntime().availableProcessors();
          default -> text.matches("\\d{1,6}") ? Integer.parseInt(text) : -1;
        };
    if (text.equals("gpu") && count == 0) {
      throw wrong("--nproc-per-node is 'gpu', and there is no GPU here; write a number");
    }
    if (count < 1 || count > JobPlan.MAX_PROCESSES) {
      throw wrong(
          "--nproc-per-node is '%s'; write a number from 1 to %,d, or cpu, gpu, auto"
              .formatted(text, JobPlan.MAX_PROCESSES));
    }
    return count;
  }

  private static int gpus() {
    int count = 0;
    while (Files.exists(Path.of("/dev/nvidia" + count))) {
      count++;
    }
    return count;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

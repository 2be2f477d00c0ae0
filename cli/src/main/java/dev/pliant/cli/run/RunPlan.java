package dev.pliant.cli.run;

import dev.pliant.cli.python.Imports;
import dev.pliant.cli.python.PythonCommand;
import dev.pliant.cli.python.Pythons;
import dev.pliant.cli.run.RunRequest.Target;
import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.Container;
import dev.pliant.crds.DistributionStrategy;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.EnvVar;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.JobPlan.Checkpointing;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a request comes to on this machine, checked before anything is started.
///
/// @param job what the master is to do
/// @param named whether the user or the file named the job; else its name follows from the script,
///   and a number is added where it is taken
/// @param python the Python in the workers' command, if there is one, and what its program imports
/// @param logFolder where logs go, or null for the job's folder
/// @param notes what the user should know before it starts, a sentence each
public record RunPlan(
    JobPlan job,
    boolean named,
    Optional<PythonCommand> python,
    Imports imports,
    @Nullable Path logFolder,
    List<String> notes) {

  public RunPlan {
    notes = List.copyOf(notes);
  }

  /// @param inherited the environment of this process
  /// @param current the folder that this process runs in
  /// @param pythonPackage the folder of the package `pliant`
  public static RunPlan of(
      RunRequest request, Map<String, String> inherited, Path current, Path pythonPackage) {
    return switch (request.target()) {
      case Target.JobYaml(Path file) -> ofFile(file, request, inherited, current, pythonPackage);
      case Target.Script(String file, List<String> arguments) ->
          ofCommand(
              command(List.of("python3", "-u", file), arguments),
              nameOf(file),
              request,
              inherited,
              current,
              pythonPackage);
      case Target.Module(String name, List<String> arguments) ->
          ofCommand(
              command(List.of("python3", "-u", "-m", name), arguments),
              nameOf(name.replaceAll(".*\\.", "")),
              request,
              inherited,
              current,
              pythonPackage);
      case Target.Program(String file, List<String> arguments) ->
          ofCommand(
              command(List.of(file), arguments),
              nameOf(file),
              request,
              inherited,
              current,
              pythonPackage);
    };
  }

  private static List<String> command(List<String> start, List<String> arguments) {
    List<String> command = new ArrayList<>(start);
    command.addAll(arguments);
    return command;
  }

  /// `examples/train_net.py` makes `train_net`.
  private static String nameOf(String file) {
    String base = String.valueOf(Path.of(file).getFileName()).replaceFirst("\\.[^.]*$", "");
    String name = base.replaceAll("[^A-Za-z0-9_-]+", "-").toLowerCase(Locale.ROOT);
    return name.isEmpty() || name.equals("-") ? "job" : name;
  }

  private static RunPlan ofFile(
      Path file,
      RunRequest request,
      Map<String, String> inherited,
      Path current,
      Path pythonPackage) {
    ElasticJob job = JobFile.read(file);
    LocalFit.check(file, job);
    ReplicaSpec worker = job.spec().worker();
    RoleBounds bounds = RoleBounds.of(job.spec(), Role.WORKER);
    Container main = worker.template().main();
    Path folder = workingFolder(file, current, main);
    Checkpoint checkpoint = job.spec().checkpoint();
    if (checkpoint == null && request.start() != null) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s: --from-checkpoint needs 'spec.checkpoint' in the job file.".formatted(file));
    }
    Draft draft =
        new Draft(
            request.name() == null ? job.id() : new JobId(job.id().namespace(), request.name()),
            true,
            command(main.command(), main.args()),
            environment(job, main, request),
            folder,
            job.spec().limits(),
            file + ": ");
    return draft.plan(
        request,
        inherited,
        pythonPackage,
        job.spec().distributionStrategy() == DistributionStrategy.LOCAL
            ? Strategy.LOCAL
            : Strategy.ALLREDUCE,
        workers(worker, bounds, request),
        bounds.bounded() || isRange(request),
        request.processes() == null ? worker.processesPerNode() : request.processes(),
        checkpoint == null ? null : checkpointing(file, checkpoint, request.start(), current),
        LocalFit.notes(job));
  }

  private static Checkpointing checkpointing(
      Path file, Checkpoint given, RunRequest.@Nullable Start start, Path current) {
    String from = start == null ? Objects.requireNonNullElse(given.from(), "") : start.from();
    if (!from.isEmpty() && !from.equals(Checkpointing.LATEST)) {
      Path named = current.resolve(start == null ? file.resolveSibling(from) : Path.of(from));
      // A job that is resumed no longer needs what its file says it started from.
      if (start != null && !Files.isDirectory(named)) {
        throw new PliantException(
            ErrorCode.BAD_JOB_FILE,
            "There is no checkpoint folder '%s' (looked for as %s). Write the path of a checkpoint, the path of a run's folder, or 'latest'."
                .formatted(from, named.normalize()));
      }
      from = named.normalize().toString();
    }
    return new Checkpointing(
        Objects.requireNonNull(given.path()),
        given.every(),
        given.keep(),
        from,
        start == null ? given.withDataPosition() : start.withDataPosition());
  }

  private static RunPlan ofCommand(
      List<String> command,
      String name,
      RunRequest request,
      Map<String, String> inherited,
      Path current,
      Path pythonPackage) {
    if (request.start() != null) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "--from-checkpoint needs a job file with 'spec.checkpoint'. In a script, write checkpoint={'path': …, 'from': …} for Elastic.");
    }
    Draft draft =
        new Draft(
            new JobId("default", request.name() == null ? name : request.name()),
            request.name() != null,
            command,
            request.environment(),
            current,
            ResourceLimits.NONE,
            "");
    WorkerRange asked = request.workers();
    WorkerRange range = asked == null ? new WorkerRange(1, 1, true) : asked;
    JobPlan.Workers workers =
        new JobPlan.Workers(
            range.most(),
            range.fixed() ? 1 : range.least(),
            range.fixed() ? Math.max(RoleBounds.DEFAULT_MAX_WORKERS, range.most()) : range.most(),
            restarts(request, null),
            NodeResources.UNBOUNDED);
    int processes = request.processes() == null ? 1 : request.processes();
    return draft.plan(
        request,
        inherited,
        pythonPackage,
        null,
        workers,
        isRange(request),
        processes,
        null,
        List.of());
  }

  /// What is known of a job before its command was looked into.
  ///
  /// @param where stands before every error: the job file, if there is one
  private record Draft(
      JobId id,
      boolean named,
      List<String> command,
      Map<String, String> environment,
      Path folder,
      ResourceLimits limits,
      String where) {

    /// @param strategy null where it follows from what the script imports
    /// @param bounded whether somebody said how many workers there may be at most
    RunPlan plan(
        RunRequest request,
        Map<String, String> inherited,
        Path pythonPackage,
        @Nullable Strategy strategy,
        JobPlan.Workers workers,
        boolean bounded,
        int processes,
        @Nullable Checkpointing checkpoint,
        List<String> notes) {
      Optional<PythonCommand> python = PythonCommand.in(command);
      python.ifPresent(this::checkProgram);
      if (python.isEmpty()) {
        checkExecutable(inherited);
      }
      Imports imports = python.map(found -> Imports.of(found, folder)).orElse(Imports.NONE);
      Elasticity elasticity = elasticity(request.elasticity(), strategy, imports);
      Integer lastCall = request.lastCallMillis();
      JobPlan job =
          new JobPlan(
              id,
              0,
              elasticity == Elasticity.NONE ? Strategy.LOCAL : Strategy.ALLREDUCE,
              elasticity,
              elasticity == Elasticity.IN_PROCESS && !bounded ? atMostWished(workers) : workers,
              processes,
              command,
              environment,
              folder.toString(),
              checkpoint,
              pythonPackage.toString(),
              lastCall == null ? JobPlan.DEFAULT_LAST_CALL_MILLIS : lastCall,
              List.of(),
              limits,
              "");
      return new RunPlan(job, named, python, imports, request.logFolder(), notes);
    }

    /// A script with Pliant's elastic loop changes its group by itself; one that takes its share of
    /// the data from Pliant alone needs no group; every other is started again with new ranks.
    private Elasticity elasticity(
        @Nullable Elasticity asked, @Nullable Strategy strategy, Imports imports) {
      if (strategy == Strategy.LOCAL) {
        if (asked != null && asked != Elasticity.NONE) {
          throw fault(
              "--elasticity %s is for workers that train as a group, and this job's strategy is Local; write AllreduceStrategy."
                  .formatted(asked.word()));
        }
        return Elasticity.NONE;
      }
      if (asked != null) {
        if (strategy == Strategy.ALLREDUCE && asked == Elasticity.NONE) {
          throw fault(
              "--elasticity none is for workers that are no group, and this job's strategy is AllReduce.");
        }
        return asked;
      }
      if (imports.elastic() || (imports.pliant() && strategy == Strategy.ALLREDUCE)) {
        return Elasticity.IN_PROCESS;
      }
      return imports.pliant() ? Elasticity.NONE : Elasticity.RESTART;
    }

    private void checkProgram(PythonCommand python) {
      if (python.program() instanceof PythonCommand.Program.Script(String file)
          && python.index() >= 0) {
        Path script = folder.resolve(file);
        if (Files.isDirectory(script)
            ? !Files.exists(script.resolve("__main__.py"))
            : !Files.isReadable(script)) {
          throw fault(
              Files.exists(script)
                  ? "the script '%s' cannot be read, or is a folder.".formatted(file)
                  : "there is no script '%s' (it is looked for as %s).".formatted(file, script));
        }
      }
    }

    private void checkExecutable(Map<String, String> inherited) {
      String program = command.getFirst();
      if (program.contains("/")) {
        if (!Files.isExecutable(folder.resolve(program))) {
          throw fault(
              "the workers' command '%s' is not there or not executable.".formatted(program));
        }
        return;
      }
      String path = environment.getOrDefault("PATH", inherited.getOrDefault("PATH", ""));
      boolean found =
          Arrays.stream(path.split(":"))
              .filter(entry -> !entry.isEmpty())
              .anyMatch(entry -> Files.isExecutable(folder.resolve(entry).resolve(program)));
      if (!found) {
        throw fault(
            "the workers' command '%s' is not on the PATH (%s); install it, or write its whole path."
                .formatted(program, path));
      }
    }

    private PliantException fault(String message) {
      return new PliantException(ErrorCode.BAD_JOB_FILE, where + message);
    }
  }

  private static JobPlan.Workers workers(
      ReplicaSpec worker, RoleBounds bounds, RunRequest request) {
    int least = bounds.min();
    int wish = bounds.wish();
    int most = bounds.max();
    WorkerRange asked = request.workers();
    if (asked != null) {
      if (asked.most() > most || (asked.fixed() && asked.most() < least)) {
        throw new PliantException(
            ErrorCode.BAD_JOB_FILE,
            "--workers is %,d; this job takes from %,d to %,d."
                .formatted(asked.most(), least, most));
      }
      wish = asked.most();
      if (!asked.fixed()) {
        least = asked.least();
        most = asked.most();
      }
    }
    return new JobPlan.Workers(
        wish,
        least,
        most,
        restarts(request, worker.restartCount()),
        worker.restartMillis(),
        resources(worker));
  }

  private static boolean isRange(RunRequest request) {
    return request.workers() != null && !request.workers().fixed();
  }

  /// A job that changes in-process cuts its batches into as many parts as it may have workers:
  /// where nobody says how many that are, it is as many as it begins with.
  private static JobPlan.Workers atMostWished(JobPlan.Workers workers) {
    return workers.withMax(workers.wish());
  }

  private static int restarts(RunRequest request, @Nullable Integer ofFile) {
    if (request.restarts() != null) {
      return request.restarts();
    }
    return ofFile == null ? JobPlan.DEFAULT_RESTARTS : ofFile;
  }

  private static NodeResources resources(ReplicaSpec worker) {
    return new ResourceAmounts(worker.template().main().resources().limits())
        .over(NodeResources.UNBOUNDED);
  }

  private static Map<String, String> environment(
      ElasticJob job, Container main, RunRequest request) {
    Map<String, String> environment = new LinkedHashMap<>();
    List<EnvVar> all = new ArrayList<>(job.spec().envs());
    all.addAll(main.env());
    all.forEach(env -> environment.put(env.name(), Objects.requireNonNull(env.value())));
    environment.putAll(request.environment());
    return environment;
  }

  private static Path workingFolder(Path file, Path current, Container main) {
    String given = main.workingDir() == null ? "" : main.workingDir();
    Path folder = current.resolve(file).resolveSibling(given).normalize();
    if (!Files.isDirectory(folder)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s: workingDir '%s' is no folder; it is looked for beside the job file, as %s."
              .formatted(file, given, folder));
    }
    return folder;
  }

  /// The same plan on a Python that has what the script needs, which is got where there is none.
  public RunPlan on(Pythons pythons) {
    if (python.isEmpty()) {
      return this;
    }
    PythonCommand named = python.get();
    Path found = pythons.provide(named, imports, Path.of(job.workingFolder()), job.environment());
    List<String> command = new ArrayList<>(job.command());
    Map<String, String> environment = new LinkedHashMap<>(job.environment());
    if (named.index() >= 0) {
      command.set(named.index(), found.toString());
    } else if (found.getFileName().toString().equals(named.interpreter())) {
      // A shell finds it by its name.
      String path =
          environment.getOrDefault("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
      environment.put("PATH", found.toAbsolutePath().getParent() + ":" + path);
    }
    return withJob(command, environment, job.job());
  }

  /// What the master is to do in this run of the job; a later one has a higher number.
  ///
  /// @param uid the job's: the same when it is resumed, another one when it is replaced
  /// @param folder the job's: checkpoints without a place of their own lie there, and go with it
  JobPlan job(long run, String uid, Path folder) {
    Checkpointing given = job.checkpoint();
    Checkpointing checkpoint =
        given == null
            ? null
            : new Checkpointing(
                folder.resolve(given.path()).normalize().toString(),
                given.every(),
                given.keep(),
                given.from(),
                given.withDataPosition());
    return changed(job.job(), run, job.command(), job.environment(), checkpoint, uid);
  }

  /// What a job that is replaced leaves to this one, where it lies in the job's folder: its
  /// checkpoints, and what this one starts from.
  List<Path> kept(Path folder) {
    Checkpointing given = job.checkpoint();
    if (given == null) {
      return List.of();
    }
    List<Path> kept = new ArrayList<>();
    kept.add(folder.resolve(given.path()).resolve(job.job().toString()).normalize());
    if (!given.from().isEmpty() && !given.from().equals(Checkpointing.LATEST)) {
      kept.add(Path.of(given.from()));
    }
    return kept;
  }

  /// The same plan under another name.
  RunPlan named(JobId id) {
    return withJob(job.command(), job.environment(), id);
  }

  private RunPlan withJob(List<String> command, Map<String, String> environment, JobId id) {
    JobPlan changed = changed(id, job.run(), command, environment, job.checkpoint(), job.uid());
    return new RunPlan(changed, named, python, imports, logFolder, notes);
  }

  private JobPlan changed(
      JobId id,
      long run,
      List<String> command,
      Map<String, String> environment,
      @Nullable Checkpointing checkpoint,
      String uid) {
    return new JobPlan(
        id,
        run,
        job.strategy(),
        job.elasticity(),
        job.workers(),
        job.nprocPerNode(),
        command,
        environment,
        job.workingFolder(),
        checkpoint,
        job.pythonPackage(),
        job.lastCallMillis(),
        job.others(),
        job.limits(),
        uid);
  }
}

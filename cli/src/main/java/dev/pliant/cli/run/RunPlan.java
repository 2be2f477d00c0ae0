package dev.pliant.cli.run;

import dev.pliant.crds.Container;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.EnvVar;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a job file comes to on this machine, checked before anything is started.
///
/// @param command the workers' command with its arguments
/// @param environment what the job adds to the environment of this process
/// @param workingFolder where the workers run
public record RunPlan(
    JobId job,
    int workers,
    List<String> command,
    Map<String, String> environment,
    Path workingFolder) {

  public RunPlan {
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
  }

  /// @param name instead of the name in the file, or null
  /// @param workers instead of the number in the file, or null
  /// @param inherited the environment of this process
  public static RunPlan of(
      Path file, @Nullable String name, @Nullable Integer workers, Map<String, String> inherited) {
    ElasticJob job = JobFile.read(file);
    if (name != null) {
      job = job.named(name);
    }
    Container main = job.spec().worker().template().main();
    List<String> command = new ArrayList<>(main.command());
    command.addAll(main.args());
    if (main.command().isEmpty()) {
      throw fault(
          file,
          "container '%s' has no command; on this machine there is no image to take it from, so give it one."
              .formatted(main.name()));
    }
    Map<String, String> environment = environment(file, job, main);
    Path folder = workingFolder(file, main);
    checkExecutable(file, command.getFirst(), folder, environment, inherited);
    return new RunPlan(job.id(), count(job.spec().worker(), workers), command, environment, folder);
  }

  private static int count(ReplicaSpec worker, @Nullable Integer asked) {
    if (asked == null) {
      return worker.initialReplicas();
    }
    int least = worker.minReplicas() == null ? 1 : worker.minReplicas();
    int most = worker.maxReplicas() == null ? ReplicaSpec.MAX_REPLICAS : worker.maxReplicas();
    if (asked < least || asked > most) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "--workers is %,d; this job takes from %,d to %,d.".formatted(asked, least, most));
    }
    return asked;
  }

  private static Map<String, String> environment(Path file, ElasticJob job, Container main) {
    Map<String, String> environment = new LinkedHashMap<>();
    List<EnvVar> all = new ArrayList<>(job.spec().envs());
    all.addAll(main.env());
    for (EnvVar env : all) {
      if (env.value() == null) {
        throw fault(
            file,
            "variable '%s' takes its value from a cluster (valueFrom); on this machine it needs a value."
                .formatted(env.name()));
      }
      environment.put(env.name(), env.value());
    }
    return environment;
  }

  private static Path workingFolder(Path file, Container main) {
    String given = main.workingDir() == null ? "" : main.workingDir();
    Path folder = file.toAbsolutePath().resolveSibling(given).normalize();
    if (!Files.isDirectory(folder)) {
      throw fault(
          file,
          "workingDir '%s' is no folder; it is looked for beside the job file, as %s."
              .formatted(given, folder));
    }
    return folder;
  }

  private static void checkExecutable(
      Path file,
      String program,
      Path folder,
      Map<String, String> environment,
      Map<String, String> inherited) {
    if (program.contains("/")) {
      if (!Files.isExecutable(folder.resolve(program))) {
        throw fault(
            file, "the workers' command '%s' is not there or not executable.".formatted(program));
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
          file,
          "the workers' command '%s' is not on the PATH (%s); install it, or write its whole path."
              .formatted(program, path));
    }
  }

  private static PliantException fault(Path file, String message) {
    return new PliantException(ErrorCode.BAD_JOB_FILE, file + ": " + message);
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.cli.kubernetes.ClusterChoice;
import dev.pliant.cli.kubernetes.ClusterJobs;
import dev.pliant.cli.local.LocalJobs;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Where jobs are: the same options for every command that looks at jobs or changes them. Nothing
/// of Kubernetes' is loaded before a cluster is chosen, so that local commands start as quickly as
/// ever.
final class Where {
  /// The names are what users write.
  enum On {
    local,
    kubernetes
  }

  private static final String VARIABLE = "PLIANT_ON";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  @ArgGroup(validate = false, heading = "%nWhere:%n")
  Options options = new Options();

  /// Grouped, so that they stand together in every help.
  static final class Options {
    @Option(
        names = "--on",
        paramLabel = "PLACE",
        description =
            "Where the jobs are: ${COMPLETION-CANDIDATES} (default: as the variable PLIANT_ON"
                + " says; kubernetes, where --context or --kubeconfig is given; else local).")
    @Nullable On on;

    @Option(
        names = {"-n", "--namespace"},
        paramLabel = "NAME",
        description =
            "The namespace of jobs that are given without one (default: default; on a cluster, that"
                + " of the context).")
    @Nullable String namespace;

    @Option(
        names = "--kubeconfig",
        paramLabel = "FILE",
        description = "How to reach the cluster (default: as KUBECONFIG says, or ~/.kube/config).")
    @Nullable Path kubeconfig;

    @Option(
        names = "--context",
        paramLabel = "NAME",
        description = "Which of that file's clusters (default: its current one).")
    @Nullable String context;
  }

  /// Opens the jobs there; to be closed.
  Jobs jobs() {
    return switch (on(System.getenv())) {
      case local ->
          new LocalJobs(
              StateHome.ofThisUser(),
              Optional.ofNullable(options.namespace).orElse(LocalJobs.NAMESPACE));
      case kubernetes -> ClusterJobs.open(cluster());
    };
  }

  /// Which cluster the options choose.
  ClusterChoice cluster() {
    return new ClusterChoice(options.kubeconfig, options.context, options.namespace);
  }

  /// Whether a namespace was chosen by hand.
  boolean namespaceGiven() {
    return options.namespace != null;
  }

  On on() {
    return on(System.getenv());
  }

  private On on(Map<String, String> environment) {
    boolean clusterNamed = options.kubeconfig != null || options.context != null;
    if (options.on != null) {
      if (options.on == On.local && clusterNamed) {
        throw wrong("--kubeconfig and --context are for clusters, so --on local does not fit them");
      }
      return options.on;
    }
    return clusterNamed ? On.kubernetes : byVariable(environment.getOrDefault(VARIABLE, ""));
  }

  private On byVariable(String value) {
    return switch (value) {
      case "", "local" -> On.local;
      case "kubernetes" -> On.kubernetes;
      default ->
          throw wrong("%s is '%s'; it must be local or kubernetes".formatted(VARIABLE, value));
    };
  }

  /// Reads NAME or NAMESPACE/NAME.
  JobId job(Jobs jobs, String text) {
    return job(jobs.namespace(), text);
  }

  /// The same, where no place is asked for its jobs.
  JobId job(String text) {
    return job(Optional.ofNullable(options.namespace).orElse(LocalJobs.NAMESPACE), text);
  }

  /// A job and the folder on this machine that has its journal.
  record JobFolder(JobId job, Path folder) {}

  /// Finds the folder that has a job's journal.
  ///
  /// @param folder as the user named it, or null
  /// @param command the command that reads it
  JobFolder jobFolder(String job, @Nullable Path folder, String command) throws IOException {
    if (folder != null) {
      return new JobFolder(job(job), folder);
    }
    try (Jobs jobs = jobs()) {
      JobId id = job(jobs, job);
      return new JobFolder(id, jobs.journalFolder(id, command));
    }
  }

  private JobId job(String usual, String text) {
    if (!text.contains("/")) {
      return new JobId(usual, text);
    }
    JobId job = JobId.parse(text);
    if (options.namespace != null && !options.namespace.equals(job.namespace())) {
      throw wrong(
          "'%s' is in the namespace '%s', and --namespace says '%s'"
              .formatted(text, job.namespace(), options.namespace));
    }
    return job;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

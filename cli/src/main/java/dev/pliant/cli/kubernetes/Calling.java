package dev.pliant.cli.kubernetes;

import static dev.pliant.cli.jobs.ShellWord.quoted;

import dev.pliant.model.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// How to call a command so that it acts where this one did: what Pliant advises is copied from the
/// terminal, and must not end up at another place.
///
/// @param program `pliant`, or `kubectl pliant`
/// @param options choose the cluster; as a shell takes them
/// @param usualNamespace that of the context, which need not be said
record Calling(String program, List<String> options, String usualNamespace) {
  /// Set by the plugin of kubectl.
  private static final String PLUGIN = "PLIANT_PLUGIN";

  private static final String PLACE = "PLIANT_ON";

  Calling {
    options = List.copyOf(options);
  }

  static Calling of(ClusterChoice choice, String usualNamespace, Map<String, String> environment) {
    List<String> options = new ArrayList<>();
    boolean named = choice.kubeconfig() != null || choice.context() != null;
    if (!named && !"kubernetes".equals(environment.get(PLACE))) {
      options.add("--on kubernetes");
    }
    if (choice.kubeconfig() != null) {
      options.add("--kubeconfig " + quoted(choice.kubeconfig().toString()));
    }
    if (choice.context() != null) {
      options.add("--context " + quoted(choice.context()));
    }
    boolean plugin = "kubectl".equals(environment.get(PLUGIN));
    return new Calling(plugin ? "kubectl pliant" : "pliant", options, usualNamespace);
  }

  /// `words`, called with this program, there.
  String command(String words) {
    List<String> parts = new ArrayList<>(List.of(program, words));
    parts.addAll(options);
    return String.join(" ", parts);
  }

  /// A command about a job: `verb("logs", job, " -f")`.
  String verb(String verb, JobId job, String more) {
    String name = job.namespace().equals(usualNamespace) ? job.name() : job.toString();
    return command(verb + " " + name + more);
  }

  /// Submits the job's file, which may say nothing of its namespace.
  ///
  /// @param file where it is, or `FILE`
  String submit(String file, JobId job, String more) {
    String there = job.namespace().equals(usualNamespace) ? "" : " --namespace " + job.namespace();
    return command("submit " + quoted(file) + more + there);
  }

  /// Reads the journal in a folder: no cluster takes part in that, so the job is named in full.
  String onFolder(String command, JobId job, String folder) {
    return "%s %s %s --folder %s".formatted(program, command, job, quoted(folder));
  }
}

package dev.pliant.cli.run;

import dev.pliant.model.JobId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A `pliant run` that goes on when whoever started it goes away: a process in a session of its
/// own, with nothing of the terminal's.
public final class DetachedRun {
  /// The log of its job in which it says what `pliant run` says.
  public static final String LOG = "supervisor";

  /// Holds the build that it was started from, as the launcher does for `pliant run`.
  private static final String HOLD_BUILD =
      "if command -v flock >/dev/null; then exec 9<\"$0\" && flock -s 9; fi; exec \"$@\"";

  private DetachedRun() {}

  /// What became of it so far.
  public sealed interface Started {
    /// It has taken the job and runs it.
    record Runs(JobId job, long pid) implements Started {}

    /// It has ended, and has said why.
    record Failed(int exitCode) implements Started {}
  }

  /// Starts `pliant run ARGUMENTS…` and waits until it has taken the job or has ended.
  ///
  /// @param said takes what it says meanwhile
  public static Started start(List<String> arguments, Consumer<String> said)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(arguments))
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(LocalRun.TAKEN)) {
        JobId job = JobId.parse(line.substring(LocalRun.TAKEN.length()));
        return new Started.Runs(job, process.pid());
      }
      said.accept(line);
    }
    return new Started.Failed(process.waitFor());
  }

  private static List<String> command(List<String> arguments) {
    List<String> command = new ArrayList<>();
    ChildJvm.setsid().ifPresent(setsid -> command.add(setsid.toString()));
    String build = System.getProperty("pliant.build", "");
    if (!build.isEmpty()) {
      command.addAll(List.of("sh", "-c", HOLD_BUILD, build));
    }
    command.addAll(ChildJvm.java(ChildJvm.Kind.SUPERVISOR));
    command.add("run");
    command.addAll(arguments);
    return command;
  }
}

package dev.pliant.agent.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// What stands before a training process's own command. Each part becomes the next by `exec`, so
/// the process keeps its id from the first to the last:
///
/// - `setsid` gives it a process group of its own, by which [Watchdog] ends all of it;
/// - `setpriv --pdeathsig KILL` has the kernel end it when the agent dies, however that comes
///   about;
/// - a line of `sh` enters the control groups.
///
/// The first two are util-linux's; where one is missing, the other and the watchdog do.
final class Wrappers {
  private static final String ENTER_GROUPS =
      """
      groups=$1
      shift
      while [ "$groups" -gt 0 ]; do
        echo $$ >"$1/cgroup.procs" || { echo "pliant: the control group $1 cannot be entered" >&2; exit 126; }
        shift
        groups=$((groups - 1))
      done
      exec "$@"
      """;

  private final List<String> before;
  private final boolean ownGroup;

  private Wrappers(List<String> before, boolean ownGroup) {
    this.before = before;
    this.ownGroup = ownGroup;
  }

  /// Those that this machine has, looked for in `path` as a shell does.
  static Wrappers find(String path) {
    List<String> before = new ArrayList<>();
    Optional<Path> setsid = lookUp("setsid", path, Path.of("/"));
    setsid.ifPresent(program -> before.add(program.toString()));
    lookUp("setpriv", path, Path.of("/"))
        .ifPresent(
            program -> before.addAll(List.of(program.toString(), "--pdeathsig", "KILL", "--")));
    return new Wrappers(before, setsid.isPresent());
  }

  /// Whether a process has a group of its own.
  boolean ownGroup() {
    return ownGroup;
  }

  List<String> wrap(Launch launch) {
    List<String> command = new ArrayList<>(before);
    if (!launch.cgroups().isEmpty()) {
      command.addAll(List.of("/bin/sh", "-c", ENTER_GROUPS, "pliant"));
      command.add(Integer.toString(launch.cgroups().size()));
      launch.cgroups().forEach(group -> command.add(group.toString()));
    }
    command.addAll(launch.command());
    return command;
  }

  /// Says what is wrong with a program before a wrapper does, in its own words.
  static void checkProgram(Launch launch) throws IOException {
    String program = launch.command().getFirst();
    String path = launch.environment().getOrDefault("PATH", "");
    if (!Files.isDirectory(launch.folder())) {
      throw new IOException(
          "the folder %s, in which worker %s is to run, is not there"
              .formatted(launch.folder(), launch.worker()));
    }
    if (lookUp(program, path, launch.folder()).isEmpty()) {
      throw new IOException(
          "the program '%s' is not to be found%s, or may not be run"
              .formatted(program, program.indexOf('/') < 0 ? " in PATH" : ""));
    }
  }

  private static Optional<Path> lookUp(String program, String path, Path folder) {
    if (program.indexOf('/') >= 0) {
      return Optional.of(folder.resolve(program)).filter(Wrappers::isProgram);
    }
    return Arrays.stream(path.split(":"))
        .map(entry -> folder.resolve(entry).resolve(program))
        .filter(Wrappers::isProgram)
        .findFirst();
  }

  private static boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}

package dev.pliant.agent.processes;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends what the agent leaves behind, should it be killed: a `sh` in a session of its own that
/// reads from a pipe which processes run. The pipe ends with the agent, also after a kill -9, and
/// whatever still runs then is killed, each with its whole process group. So it reaches what the
/// kernel's death signal does not: the children of training processes.
final class Watchdog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  /// Reads `+ TARGET` and `- TARGET`, where a TARGET is what `kill` takes.
  private static final String SCRIPT =
      """
      targets=' '
      while read -r sign target; do
        case $sign in
          +) targets="$targets$target " ;;
          -) targets="${targets%%" $target "*} ${targets#*" $target "}" ;;
        esac
      done
      for target in $targets; do kill -9 "$target"; done
      """;

  private static final Path SHELL = Path.of("/bin/sh");

  private final Optional<Process> process;
  private final Writer pipe;

  private Watchdog(Process process) {
    this.process = Optional.of(process);
    this.pipe = process.outputWriter(StandardCharsets.US_ASCII);
  }

  private Watchdog() {
    this.process = Optional.empty();
    this.pipe = Writer.nullWriter();
  }

  /// Where there is no shell, as in some images, nobody watches; in a container that is no loss,
  /// for all of it ends with its first process, the agent.
  ///
  /// @param ownSession whether there is a `setsid`
  static Watchdog start(boolean ownSession) throws IOException {
    if (!Files.isExecutable(SHELL)) {
      return new Watchdog();
    }
    List<String> command = new ArrayList<>();
    if (ownSession) {
      command.add("setsid");
    }
    command.addAll(List.of(SHELL.toString(), "-c", SCRIPT, "pliant-watchdog"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    return new Watchdog(builder.start());
  }

  /// A process runs.
  ///
  /// @param wholeGroup whether it leads a group
  void watch(long pid, boolean wholeGroup) {
    say("+", pid, wholeGroup);
  }

  /// It has ended, and all it started.
  void forget(long pid, boolean wholeGroup) {
    say("-", pid, wholeGroup);
  }

  private synchronized void say(String sign, long pid, boolean wholeGroup) {
    try {
      pipe.write(sign + " " + (wholeGroup ? "-" : "") + pid + "\n");
      pipe.flush();
    } catch (IOException e) {
      log.warn(
          "the watchdog is gone; should the agent be killed, processes may stay: {}", e.toString());
    }
  }

  long pid() {
    return process.orElseThrow().pid();
  }

  @Override
  public synchronized void close() {
    try {
      pipe.close();
    } catch (IOException e) {
      log.debug("the watchdog was gone already: {}", e.toString());
    }
  }
}

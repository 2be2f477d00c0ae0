package dev.pliant.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Runs other programs, each for a bounded time, with what they print in a file.
final class Commands {
  /// For the end of a process that was killed.
  private static final Duration KILL = Duration.ofSeconds(30);

  private Commands() {}

  /// How a program ended and what it printed.
  record Result(int exit, String output) {
    Result orThrow(String what) {
      if (exit != 0) {
        throw new AssertionError(what + " ended with " + exit + ":\n" + output);
      }
      return this;
    }
  }

  static Result run(
      Path folder, Map<String, String> environment, Duration bound, String... command) {
    try {
      Path output = Files.createTempFile("pliant-e2e", ".out");
      try {
        ProcessBuilder builder =
            new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!ends(process, bound)) {
          throw new AssertionError(
              "%s did not end in %d s:\n%s"
                  .formatted(
                      Arrays.toString(command), bound.toSeconds(), Files.readString(output)));
        }
        return new Result(process.exitValue(), Files.readString(output));
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// Whether a process ends in time. Else it is ended, as it is where a test is interrupted because
  /// it hangs: what it started would act on the tests after it.
  private static boolean ends(Process process, Duration bound) throws InterruptedException {
    try {
      return process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      end(process);
    }
  }

  /// From the top: a script whose command is killed goes on with the next.
  private static void end(Process process) throws InterruptedException {
    if (process.isAlive()) {
      List<ProcessHandle> below = process.descendants().toList();
      process.destroyForcibly();
      below.forEach(ProcessHandle::destroyForcibly);
      boolean unused = process.waitFor(KILL.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /// A Java process with this one's class path.
  static ProcessBuilder java(String main, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  static String classPath() {
    String tests = System.getProperty("surefire.test.class.path");
    return tests != null ? tests : System.getProperty("java.class.path", "");
  }

  /// The root of the project's tree.
  static Path root() {
    return Path.of("..").toAbsolutePath().normalize();
  }
}

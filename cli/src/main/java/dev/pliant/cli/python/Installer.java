package dev.pliant.cli.python;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/// Runs a program that installs something, shows that it is alive, and ends it when it takes too
/// long or when this process ends.
final class Installer {
  static final Duration BOUND = Duration.ofMinutes(20);
  private static final int KEPT_LINES = 15;
  private static final int MAX_SHOWN = 60;

  private final Notices notices;
  private final long beganNanos = System.nanoTime();
  private final Deque<String> last = new ArrayDeque<>();
  private String doing = "";

  Installer(Notices notices) {
    this.notices = notices;
  }

  /// @param wording makes what the program prints fit to be shown; an empty text is left out
  void run(
      String what,
      Map<String, String> environment,
      UnaryOperator<String> wording,
      List<String> command) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.redirectInput(
          ProcessBuilder.Redirect.from(java.nio.file.Path.of("/dev/null").toFile()));
      builder.environment().putAll(environment);
      Process process = builder.start();
      Thread hook = new Thread(process::destroy, "end-installer");
      Runtime.getRuntime().addShutdownHook(hook);
      Thread reader =
          Thread.ofVirtual().name("installer-output").start(() -> follow(process, wording));
      boolean ended = await(process, what);
      if (!ended) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
      }
      boolean unused = reader.join(Duration.ofSeconds(2));
      Runtime.getRuntime().removeShutdownHook(hook);
      if (!ended || process.exitValue() != 0) {
        throw new PliantException(ErrorCode.BAD_JOB_FILE, failure(what, command, ended));
      }
    } catch (IOException e) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE, what + " failed: " + e.getMessage() + ".", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PliantException(ErrorCode.BAD_JOB_FILE, what + " was broken off.", e);
    }
  }

  private boolean await(Process process, String what) throws InterruptedException {
    while (System.nanoTime() - beganNanos < BOUND.toNanos()) {
      if (process.waitFor(200, TimeUnit.MILLISECONDS)) {
        return true;
      }
      long seconds = (System.nanoTime() - beganNanos) / 1_000_000_000L;
      notices.progress("%s · %d s · %s".formatted(what, seconds, doing()));
    }
    return false;
  }

  private void follow(Process process, UnaryOperator<String> wording) {
    try (BufferedReader lines = process.inputReader()) {
      String line;
      while ((line = lines.readLine()) != null) {
        note(line, wording.apply(line));
      }
    } catch (IOException e) {
      // The pipe ended with the process.
    }
  }

  private synchronized void note(String line, String shown) {
    if (!shown.isBlank()) {
      doing = shown.length() <= MAX_SHOWN ? shown : shown.substring(0, MAX_SHOWN - 1) + "…";
      last.addLast(line);
    }
    if (last.size() > KEPT_LINES) {
      last.removeFirst();
    }
  }

  private synchronized String doing() {
    return doing;
  }

  private synchronized String failure(String what, List<String> command, boolean ended) {
    return "%s failed%s; '%s' said last:%n  %s%nWhat it has got so far is kept, so calling this again goes on from there."
        .formatted(
            what,
            ended ? "" : ": it took longer than " + BOUND.toMinutes() + " minutes",
            String.join(" ", command),
            String.join(System.lineSeparator() + "  ", last));
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.LogFiles;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant logs`.
@Command(
    name = "logs",
    description = {
      "Print what a job's workers have printed, each line with its worker in front.",
      "",
      "With --follow it goes on until the job has ended; workers that are added meanwhile are shown"
          + " too.",
    },
    footer = {
      "",
      "Examples:",
      "  The last lines of every worker:",
      "    $ pliant logs digits --tail 5",
      "  As they come, of one worker alone:",
      "    $ pliant logs digits -f --worker worker-1",
      "  Those of the master and the agents, too:",
      "    $ pliant logs digits --all",
    })
final class LogsCommand implements Callable<Integer> {
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration LOOK = Duration.ofSeconds(2);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with what is printed from now on.")
  boolean follow;

  @Option(names = "--worker", paramLabel = "NAME", description = "Of this worker alone.")
  @Nullable String worker;

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "Of each worker the last N lines alone (default: all).")
  @Nullable Integer tail;

  @Option(names = "--all", description = "The logs of the master and the agents, too.")
  boolean all;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (tail != null && tail < 0) {
      throw new ParameterException(spec.commandLine(), "--tail is %d".formatted(tail));
    }
    StateHome home = StateHome.ofThisUser();
    JobId id = JobId.parse(job);
    Path logs = home.existing(id).resolve("logs");
    if (worker != null && !follow && !names(logs).contains(worker)) {
      throw new PliantException(
          ErrorCode.UNKNOWN_WORKER,
          "job %s has no log of '%s'; there are those of %s."
              .formatted(id, worker, LogFiles.all(logs)));
    }
    Printer printer = new Printer(spec.commandLine().getOut(), worker == null);
    try (LogFollower follower = new LogFollower(logs, Long.MAX_VALUE)) {
      for (String name : names(logs)) {
        if (tail == null) {
          while (follower.read(name, printer)) {
            // To its end.
          }
        } else {
          follower.last(name, tail, printer);
        }
      }
      if (follow) {
        follow(home, id, logs, follower, printer);
      }
      follower.finish(printer);
    }
    printer.out.flush();
    return 0;
  }

  private void follow(StateHome home, JobId id, Path logs, LogFollower follower, Printer printer)
      throws IOException, InterruptedException {
    long looked = System.nanoTime();
    boolean running = JobInfo.runsNow(home, id);
    while (true) {
      boolean any = false;
      for (String name : names(logs)) {
        any |= follower.read(name, printer);
      }
      printer.out.flush();
      if (!any && !running) {
        return;
      }
      if (!any) {
        Thread.sleep(PAUSE);
      }
      if (System.nanoTime() - looked > LOOK.toNanos()) {
        looked = System.nanoTime();
        running = JobInfo.runsNow(home, id);
      }
    }
  }

  private List<String> names(Path logs) throws IOException {
    List<String> names = all || worker != null ? LogFiles.all(logs) : LogFiles.workers(logs);
    return worker == null ? names : names.stream().filter(worker::equals).toList();
  }

  /// Prints lines, with the worker in front where there may be several.
  private record Printer(PrintWriter out, boolean prefixed) implements LogFollower.Sink {
    @Override
    public void line(String name, String text) {
      out.println(prefixed ? "[" + name + "] " + text : text);
    }

    @Override
    public void leftOut(String name, long bytes) {
      out.println("[%s] … %,d bytes left out".formatted(name, bytes));
    }
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.PiecePrinter;
import dev.pliant.cli.jobs.ReaderGone;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "  Of a job in a cluster:",
      "    $ pliant logs digits -f --on kubernetes",
    })
final class LogsCommand implements Callable<Integer> {
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

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (tail != null && tail < 0) {
      throw new ParameterException(spec.commandLine(), "--tail is %d".formatted(tail));
    }
    Printer printer =
        new Printer(spec.commandLine().getOut(), spec.commandLine().getErr(), worker == null);
    LogWish wish = new LogWish(worker == null ? "" : worker, tail == null ? -1 : tail, all, follow);
    try (Jobs jobs = where.jobs()) {
      jobs.logs(where.job(jobs, job), wish, printer);
    } finally {
      printer.end();
    }
    return 0;
  }

  /// Prints lines, with the worker in front where there may be several.
  private static final class Printer implements LogFollower.Sink {
    private final PrintWriter out;
    private final PrintWriter err;
    private final PiecePrinter pieces;
    private final boolean prefixed;

    Printer(PrintWriter out, PrintWriter err, boolean prefixed) {
      this.out = out;
      this.err = err;
      this.pieces = new PiecePrinter(out);
      this.prefixed = prefixed;
    }

    @Override
    public void piece(String name, LinePiece piece) {
      pieces.print(name, prefixed ? "[" + name + "] " : "", piece);
    }

    @Override
    public void leftOut(String name, long bytes) {
      pieces.endLine();
      out.println("[%s] … %,d bytes left out".formatted(name, bytes));
    }

    @Override
    public void note(String text) {
      out.flush();
      err.println("note: " + text);
      err.flush();
    }

    @Override
    public void pause() {
      ReaderGone.orShow(out);
    }

    /// Others may still print, as long as they do not know.
    synchronized void end() {
      pieces.endLine();
      out.flush();
    }
  }
}

package dev.pliant.cli.local;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.PiecePrinter;
import dev.pliant.cli.jobs.ReaderGone;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.cli.run.DetachedRun;
import dev.pliant.cli.run.DetachedRun.Started;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/// `pliant submit` on this machine: `pliant run`, detached.
public final class LocalSubmit {
  private final StateHome home;
  private final PrintWriter out;
  private final PrintWriter err;

  /// @param out for what comes of it, and `err` for what is said meanwhile
  public LocalSubmit(StateHome home, PrintWriter out, PrintWriter err) {
    this.home = home;
    this.out = out;
    this.err = err;
  }

  /// Starts it; what it says before it has taken the job, above all why it cannot, is passed on.
  public Started submit(List<String> arguments) throws IOException, InterruptedException {
    return DetachedRun.start(
        arguments,
        line -> {
          err.println(line);
          err.flush();
        });
  }

  /// What to do next.
  public static List<String> next(Started.Runs runs) {
    String name =
        LocalJobs.NAMESPACE.equals(runs.job().namespace())
            ? runs.job().name()
            : runs.job().toString();
    return List.of(
        "job %s runs on this machine, by process %d.".formatted(runs.job(), runs.pid()),
        "follow it with 'pliant logs %1$s -f', look at it with 'pliant describe %1$s', end it with 'pliant stop %1$s'."
            .formatted(name));
  }

  /// Shows what `pliant run` would, until the job has ended; returns how it stands then.
  public JobInfo follow(JobId job) throws IOException, InterruptedException {
    PiecePrinter printer = new PiecePrinter(out);
    LogFollower.Sink sink =
        new LogFollower.Sink() {
          @Override
          public void piece(String name, LinePiece piece) {
            printer.print(name, "", piece);
          }

          @Override
          public void leftOut(String name, long bytes) {
            printer.endLine();
            out.println("… %,d bytes left out".formatted(bytes));
          }

          @Override
          public void pause() {
            ReaderGone.orShow(out);
          }
        };
    new LocalLogs(home, job, new LogWish(DetachedRun.LOG, -1, true, true), sink).show();
    printer.endLine();
    out.flush();
    return JobInfo.read(home, job);
  }
}

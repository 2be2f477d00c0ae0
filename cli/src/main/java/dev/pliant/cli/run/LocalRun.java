package dev.pliant.cli.run;

import dev.pliant.cli.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// One `pliant run`: takes the job's folder, supervises, verifies, sums up. A signal ends it in
/// order, with nothing left behind.
public final class LocalRun {
  /// Longer than everything that is bounded on the way down.
  private static final Duration STOP_BOUND = Duration.ofSeconds(90);

  private final RunPlan plan;
  private final boolean resume;
  private final boolean replace;
  private final PrintWriter out;
  private final Terminal terminal;

  public LocalRun(
      RunPlan plan, boolean resume, boolean replace, PrintWriter out, Terminal terminal) {
    this.plan = plan;
    this.resume = resume;
    this.replace = replace;
    this.out = out;
    this.terminal = terminal;
  }

  public RunResult run() throws IOException, InterruptedException {
    Path jobs = JobFolder.jobs(System.getenv(), Path.of(System.getProperty("user.home")));
    CountDownLatch done = new CountDownLatch(1);
    Screen screen = new Screen(out, terminal, terminal.columns());
    try (JobFolder folder = JobFolder.take(jobs, plan.job())) {
      folder.prepare(resume, replace);
      folder.sayHolder(
          "process %d, since %s"
              .formatted(
                  ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS)));
      Supervisor supervisor = new Supervisor(plan, folder, screen, InstantSource.system());
      // The JVM itself turns SIGINT and SIGTERM into exit codes 130 and 143 once the hook is done.
      Thread hook = new Thread(() -> stop(supervisor, done), "stop");
      Runtime.getRuntime().addShutdownHook(hook);
      return sumUp(folder, screen, supervisor.run());
    } finally {
      done.countDown();
    }
  }

  private static void stop(Supervisor supervisor, CountDownLatch done) {
    supervisor.stop();
    try {
      boolean unused = done.await(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Verifies, keeps the result and shows it. A success that does not verify is none.
  private RunResult sumUp(JobFolder folder, Screen screen, RunResult ended) throws IOException {
    JobVerification verification = JobVerification.of(plan.job(), folder.path());
    RunResult result = ended.verified(verification.holds());
    Files.writeString(folder.result(), result.json() + "\n");
    verification.lines().forEach(screen::say);
    screen.say(result.summary());
    if (result.outcome() != RunResult.Outcome.SUCCEEDED) {
      screen.say(
          "its logs are in "
              + folder.logs()
              + "; go on with --resume, or start anew with --replace");
    }
    return result;
  }
}

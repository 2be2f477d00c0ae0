package dev.pliant.cli.run;

import dev.pliant.cli.Terminal;
import dev.pliant.cli.jobs.LogFiles;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.cli.python.Notices;
import dev.pliant.master.JobPlanFile;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/// One `pliant run`: takes the job's folder, supervises, verifies, sums up. A signal ends it in
/// order, with nothing left behind.
///
/// A detached one, which `pliant submit` starts, says [#TAKEN] once the job is its own; from then
/// on it writes to the job's log `supervisor`, for whoever started it goes away.
public final class LocalRun implements Notices {
  /// What a detached run says before the job's name: it has taken the job.
  static final String TAKEN = "taken: ";

  private final boolean resume;
  private final boolean replace;
  private final boolean detached;
  private final PrintWriter out;
  private Screen screen;

  public LocalRun(
      boolean resume, boolean replace, boolean detached, PrintWriter out, Terminal terminal) {
    this.resume = resume;
    this.replace = replace;
    this.detached = detached;
    this.out = out;
    this.screen = new Screen(out, terminal, terminal.columns());
  }

  @Override
  public void say(String line) {
    screen.endProgress();
    screen.say(line);
  }

  @Override
  public void progress(String line) {
    screen.progress(line, System.nanoTime());
  }

  public RunResult run(RunPlan asked) throws IOException, InterruptedException {
    Path jobs = StateHome.ofThisUser().jobs();
    RunPlan plan = asked.named() || resume || replace ? asked : withFreeName(asked, jobs);
    try (JobFolder folder = JobFolder.take(jobs, plan.job().job())) {
      String uid = uid(folder);
      folder.prepare(resume, replace, plan.kept(folder.path()), plan.logFolder());
      folder.sayHolder(
          "process %d, since %s"
              .formatted(
                  ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS)));
      JobPlanFile.write(folder.path(), plan.job(System.currentTimeMillis(), uid, folder.path()));
      if (detached) {
        detach(plan.job().job(), folder);
      }
      Supervisor supervisor = new Supervisor(plan, folder, screen, InstantSource.system());
      try (Signals signals = Signals.heardBy(supervisor::stop)) {
        return sumUp(plan.job().job(), folder, supervisor.run().endedBy(signals.first()));
      }
    }
  }

  /// A job that is resumed stays the same job; every other one is new, whatever its name.
  private String uid(JobFolder folder) throws IOException {
    Optional<JobPlan> before = resume ? JobPlanFile.read(folder.path()) : Optional.empty();
    return before
        .map(JobPlan::uid)
        .filter(known -> !known.isEmpty())
        .orElseGet(() -> UUID.randomUUID().toString());
  }

  private void detach(JobId job, JobFolder folder) throws IOException {
    PrintWriter log =
        new PrintWriter(
            Files.newBufferedWriter(
                LogFiles.file(folder.logs(), DetachedRun.LOG),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND));
    screen = new Screen(log, Terminal.PLAIN, Integer.MAX_VALUE);
    out.println(TAKEN + job);
    out.flush();
  }

  /// A script has no name of its own; the first that is free is taken, and said where it is not the
  /// script's.
  private RunPlan withFreeName(RunPlan plan, Path jobs) throws IOException {
    JobId wanted = plan.job().job();
    JobId free = wanted;
    for (int number = 2; JobFolder.taken(jobs, free); number++) {
      free = new JobId(wanted.namespace(), wanted.name() + "-" + number);
    }
    if (!free.equals(wanted)) {
      say(
          "there is a job '%s' already, so this one is '%s'; --replace, --resume or --name say otherwise"
              .formatted(wanted.name(), free.name()));
    }
    return plan.named(free);
  }

  /// Verifies, shows the result and keeps it: whoever finds it finds all that was said. A success
  /// that does not verify is none.
  private RunResult sumUp(JobId job, JobFolder folder, RunResult ended) throws IOException {
    JobVerification verification = JobVerification.of(job, folder.path());
    RunResult result =
        ended.verified(verification.holds()).withoutTakenOver(verification.takenOver());
    verification.lines().forEach(screen::say);
    result.summary().forEach(screen::say);
    if (result.outcome() != RunResult.Outcome.SUCCEEDED) {
      screen.say(
          "its logs are in "
              + folder.logs()
              + "; go on with --resume, or start anew with --replace");
    }
    Path beside = folder.result().resolveSibling(folder.result().getFileName() + ".tmp");
    Files.writeString(beside, result.json() + "\n");
    Files.move(beside, folder.result(), StandardCopyOption.ATOMIC_MOVE);
    return result;
  }
}

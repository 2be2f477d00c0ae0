package dev.pliant.cli.launcher;

import dev.pliant.cli.Main;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Goes once through what an agent does, as [Rehearsal] does for other processes: as a master's
/// platform starts it, with a worker that says all there is to say.
///
/// Arguments: a folder to make, and the class path of a master.
public final class AgentRehearsal {
  private static final JobId JOB = new JobId("default", "rehearsal");

  private AgentRehearsal() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path folder = Path.of(arguments[0]);
    Path elsewhere = Files.createTempDirectory("pliant-"); // A socket's path must be short.
    List<String> command = new ArrayList<>();
    command.addAll(List.of("agent", "--job-dir", folder.toString(), "--job", JOB.toString()));
    command.addAll(List.of("--node", "worker-0", "--role", "worker"));
    command.addAll(List.of("--elasticity", "in-process"));
    command.addAll(List.of("--socket", elsewhere.resolve("s").toString(), "--"));
    command.addAll(
        RehearsalMaster.java(System.getProperty("java.class.path"), RehearsalWorker.class));
    int code;
    try (RehearsalMaster unused = RehearsalMaster.start(arguments[1], JOB, folder)) {
      code = Main.execute(command.toArray(String[]::new));
      // What an agent asks once it has run for a while.
      boolean held = JobInfo.holder(folder).isPresent() || JobInfo.masterLives(folder);
      System.out.printf("agent: %d %b%n", code, held);
    } finally {
      Files.deleteIfExists(elsewhere.resolve("s"));
      Files.deleteIfExists(elsewhere);
    }
    System.exit(code); // As the command does: leaving takes classes, too.
  }
}

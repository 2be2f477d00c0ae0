package dev.pliant.cli;

import dev.pliant.cli.replay.ReplayJson;
import dev.pliant.cli.replay.ReplayText;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.replay.JobReplay;
import dev.pliant.master.replay.Replayed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant replay`.
@Command(
    name = "replay",
    description = {
      "Decide again everything in a job's journal, and compare.",
      "",
      "The journal holds each command that the master decided, its time, and the resulting events."
          + " This reads it from the first command, decides each one again with the rules of this"
          + " Pliant, and compares the events byte for byte. It prints what was replayed, or the"
          + " first difference: its place in the journal, the command, the recorded event and the"
          + " one that is decided now. With a difference, the exit code is 1.",
      "",
      "Leases and reports of shards are not decided again; their events are applied as they are."
          + " The journal is only read, so the job may be running.",
      "",
      "A difference means that the rules changed since the journal was written, or that a decision"
          + " depends on something that the journal does not hold, which is a bug.",
      "",
      "The journal of a job in a cluster lies on the claim that its 'spec.storage' names: mount that"
          + " and name the job's folder with --folder.",
    },
    footer = {
      "",
      "Examples:",
      "  Would this Pliant decide everything as it was decided?",
      "    $ pliant replay digits",
      "  In another namespace, for a script:",
      "    $ pliant replay research/digits -o json",
      "  What a cluster's job of that uid has left on a claim, mounted at /mnt:",
      "    $ pliant replay research/digits --folder /mnt/research/digits/UID/job",
    })
final class ReplayCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "The job's folder, where it is none of this machine's own jobs.")
  @Nullable Path folder;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException {
    Where.JobFolder found = where.jobFolder(job, folder, "replay");
    Replayed replayed =
        JobReplay.of(found.job(), JournalLocation.ofJob(found.job(), found.folder()));
    PrintWriter out = spec.commandLine().getOut();
    switch (output) {
      case text -> ReplayText.lines(replayed).forEach(out::println);
      case json -> out.println(ReplayJson.of(replayed));
    }
    out.flush();
    return replayed.same() ? 0 : Faults.FAILED;
  }
}

package dev.pliant.benchmarks;

import dev.pliant.master.journal.JournalLocation;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A master that comes back to a long journal and no snapshot: it reads and applies all of it
/// before it answers.
final class Replay implements Measure {
  private static final long EVENTS = 1_000_000;

  @Override
  public String name() {
    return "replay";
  }

  @Override
  public String what() {
    return "a master's start on a journal of a million events without a snapshot";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    Path folder = bench.folder("replay");
    JobId job;
    try (PliantMaster master = PliantMaster.start(bench, folder, true)) {
      job = master.jobId();
      master.kill();
    }
    bench.say("writing %,d events", EVENTS);
    LongJournal.append(JournalLocation.folder(folder.resolve("journal")), job, EVENTS);
    var seconds = new ArrayList<Double>();
    var empty = new ArrayList<Double>();
    for (int round = 1; round <= bench.plan().starts(); round++) {
      empty.add(startSeconds(bench, bench.folder("empty"), 0));
      seconds.add(startSeconds(bench, folder, EVENTS));
      bench.say(
          "start %d: %.2f s on nothing, %.2f s on the journal",
          round, empty.getLast(), seconds.getLast());
    }
    return List.of(
        Row.of(
                "replay",
                "start on a journal of %,d events".formatted(EVENTS),
                "s",
                new Series(seconds),
                new Bar.ValueAtMost(3))
            .beside("start on an empty one", new Series(empty))
            .with("journal_mb", journalMb(folder)));
  }

  private static double startSeconds(Bench bench, Path folder, long events)
      throws IOException, InterruptedException {
    try (PliantMaster master = PliantMaster.start(bench, folder, true)) {
      double seconds = master.firstAnswerMs() / 1_000;
      if (master.journalEvents() < events) {
        throw new IOException(
            "the master knows of %d events only".formatted(master.journalEvents()));
      }
      checkNoSnapshot(folder);
      master.kill();
      return seconds;
    }
  }

  private static void checkNoSnapshot(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("journal"))) {
      if (files.anyMatch(file -> file.toString().endsWith(".snapshot"))) {
        throw new IOException("a snapshot lies in the journal: not all of it is replayed");
      }
    }
  }

  private static double journalMb(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder.resolve("journal"))) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes / 1e6;
  }
}

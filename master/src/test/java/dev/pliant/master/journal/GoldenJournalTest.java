package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.machine.Answer;
import dev.pliant.master.machine.Command;
import dev.pliant.master.machine.JobImage;
import dev.pliant.master.machine.LedgerImage;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.OwnerClient;
import dev.pliant.master.shards.ShardReport;
import dev.pliant.master.shards.ShardReport.Fate;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A journal as format 1 wrote it: every master to come must read it as this one does. Written
/// anew, for a new format beside the old one, by `-Dpliant.golden=write`.
class GoldenJournalTest {
  private static final JobId JOB = new JobId("default", "golden");
  private static final Path GOLDEN = Path.of("src/test/resources/golden/journal-1");
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  @TempDir Path folder;

  @Test
  void readsWhatFormatOneWrote() throws IOException {
    if ("write".equals(System.getProperty("pliant.golden"))) {
      write();
    }
    for (boolean withSnapshot : new boolean[] {true, false}) {
      Path copy = copy(withSnapshot);
      FolderStore store = new FolderStore(FolderDisk.of(copy), JOB);
      JobImage image = JobRecovery.recover(store, JOB).image();
      assertThat(describe(image))
          .as(withSnapshot ? "from the snapshot" : "from the first event")
          .isEqualTo(Files.readString(GOLDEN.resolve("state.txt")));
    }
  }

  private Path copy(boolean withSnapshot) throws IOException {
    Path copy = Files.createDirectories(folder.resolve(withSnapshot ? "with" : "without"));
    try (Stream<Path> files = Files.list(GOLDEN)) {
      for (Path file : files.toList()) {
        if (withSnapshot || !file.toString().endsWith(".snapshot")) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
    }
    return copy;
  }

  private static String describe(JobImage image) {
    StringBuilder text = new StringBuilder();
    text.append("events ").append(image.events()).append('\n');
    text.append("lineage ").append(image.lineage()).append('\n');
    image.datasets().forEach(spec -> text.append(spec).append('\n'));
    for (LedgerImage ledger : image.ledgers()) {
      text.append(ledger).append('\n');
    }
    image
        .workers()
        .forEach(w ->
            text.append("%s %s %s %d%n".formatted(w.id(), w.live(), w.reason(), w.shardsDone())));
    text.append("checkpoints ").append(image.checkpoints().keySet()).append('\n');
    return text.toString();
  }

  /// A short life with every kind of event in it.
  private static void write() throws IOException {
    Files.createDirectories(GOLDEN);
    InstantSource clock = InstantSource.fixed(Instant.parse("2026-11-15T12:00:00Z"));
    FolderStore store = new FolderStore(FolderDisk.of(GOLDEN), JOB);
    try (JobOwner owner = JobOwner.start(JOB, store, JobOwner.Limits.DEFAULT, clock)) {
      OwnerClient client = new OwnerClient(owner);
      DatasetName table = new DatasetName("table");
      DatasetName stream = new DatasetName("stream");
      DatasetName steps = new DatasetName("steps");
      Consumption shards = new Consumption.Shards(10, 0);
      create(client, new DatasetSpec(table, new Source.Table(95), shards, 2, Shuffle.SHARDS, 7));
      create(
          client,
          new DatasetSpec(
              stream,
              new Source.Stream(List.of(new Partition("p0", 5, 30))),
              shards,
              1,
              Shuffle.NONE,
              0));
      create(
          client,
          new DatasetSpec(
              steps, new Source.Text(20), new Consumption.Steps(6), 1, Shuffle.RECORDS, 1));
      done(client, A, table, 3);
      client.ask(new Command.TakeCheckpoint(), Answer.CheckpointTaken.class);
      done(client, B, table, 2);
      client.ask(new Command.CommitStep(steps, 0, 0, 4), Answer.Committed.class);
      client.ask(new Command.RestoreKept(1), Answer.CheckpointRestored.class);
      client.ask(new Command.Lease(A, table, 4, 9), Answer.Leased.class);
      client.ask(new Command.EndWorker(A, ExitReason.KILLED, "drained"), Answer.WorkerEnded.class);
      client.ask(
          new Command.GrowStream(stream, List.of(new Partition("p1", 0, 7)), true),
          Answer.Done.class);
      done(client, B, stream, 2);
      client.ask(new Command.Lease(B, stream, 1, 0), Answer.Leased.class);
      client.ask(new Command.CommitStep(steps, 0, 0, 5), Answer.Committed.class);
      client.ask(new Command.Lease(B, table, 2, 0), Answer.Leased.class);
      client.ask(
          new Command.EndWorker(B, ExitReason.FATAL_ERROR, "division by zero"),
          Answer.WorkerEnded.class);
    }
    JobImage image = JobRecovery.recover(new FolderStore(FolderDisk.of(GOLDEN), JOB), JOB).image();
    Files.writeString(GOLDEN.resolve("state.txt"), describe(image));
  }

  private static void create(OwnerClient client, DatasetSpec spec) {
    client.ask(new Command.CreateDataset(spec), Answer.Created.class);
  }

  private static void done(OwnerClient client, WorkerId worker, DatasetName dataset, int count) {
    Answer.Leased leased =
        client.ask(new Command.Lease(worker, dataset, count, 0), Answer.Leased.class);
    List<ShardReport> reports =
        leased.shards().stream()
            .map(s -> new ShardReport(s.number(), s.lease(), Fate.DONE, ""))
            .toList();
    client.ask(new Command.Report(worker, dataset, reports), Answer.Reported.class);
  }
}

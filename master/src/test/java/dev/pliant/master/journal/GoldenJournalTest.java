package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.JobImage;
import dev.pliant.machine.LedgerImage;
import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.NodesImage;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.OwnerClient;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.Strategy;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Journals as this format version wrote them, one of records and one of nodes: a master that can
/// no longer read them needs a new version. One that is missing is written by
/// `-Dpliant.golden=write`; those that are there never change.
class GoldenJournalTest {
  private static final JobId JOB = new JobId("default", "golden");
  private static final Path RECORDS = Path.of("src/test/resources/golden/journal-3");
  private static final Path NODES = Path.of("src/test/resources/golden/journal-3-nodes");
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-15T12:00:00Z"));
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");

  @TempDir Path folder;

  @Test
  void readsWhatWasWrittenOfRecords() throws IOException {
    readsWhatWasWritten(RECORDS, GoldenJournalTest::liveOfRecords);
  }

  @Test
  void readsWhatWasWrittenOfNodes() throws IOException {
    readsWhatWasWritten(NODES, GoldenJournalTest::liveOfNodes);
  }

  private void readsWhatWasWritten(Path golden, Consumer<OwnerClient> life) throws IOException {
    if ("write".equals(System.getProperty("pliant.golden")) && !Files.exists(golden)) {
      write(golden, life);
    }
    for (boolean withSnapshot : new boolean[] {true, false}) {
      Path copy = copy(golden, withSnapshot);
      JournalStore store = JournalStores.open(JournalLocation.folder(copy), JOB);
      JobImage image = JobRecovery.recover(store, JOB).image();
      assertThat(describe(image))
          .as(withSnapshot ? "from the snapshot" : "from the first event")
          .isEqualTo(Files.readString(golden.resolve("state.txt")));
    }
  }

  private Path copy(Path golden, boolean withSnapshot) throws IOException {
    Path copy = Files.createDirectories(folder.resolve(withSnapshot ? "with" : "without"));
    try (Stream<Path> files = Files.list(golden)) {
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
    if (image.nodes().plan() != null) {
      describe(image.nodes(), text);
    }
    return text.toString();
  }

  private static void describe(NodesImage nodes, StringBuilder text) {
    text.append(
        "nodes %s '%s', %d replaced, ended from outside %s, rested until %d%n"
            .formatted(
                nodes.phase(),
                nodes.phaseReason(),
                nodes.replacements(),
                nodes.outsideEnds(),
                nodes.restedUntilMillis()));
    nodes.roles().forEach(role -> text.append(role).append('\n'));
    for (Node node : nodes.nodes()) {
      text.append(
          "%s rank %d of %s, %s%s, %d restarts, streak %d, %s, made %d%n"
              .formatted(
                  node.id(),
                  node.rank(),
                  node.replaces(),
                  node.phase(),
                  node.released() ? " as told" : "",
                  node.restarts(),
                  node.streak(),
                  node.reason(),
                  node.createdMillis()));
    }
    nodes.relaunches().forEach(relaunch -> text.append(relaunch).append('\n'));
  }

  private static void write(Path golden, Consumer<OwnerClient> life) throws IOException {
    Files.createDirectories(golden);
    JournalLocation journal = JournalLocation.folder(golden);
    JournalStore store = JournalStores.open(journal, JOB);
    try (JobOwner owner = JobOwner.start(JOB, store, JobOwner.Limits.DEFAULT, CLOCK)) {
      life.accept(new OwnerClient(owner));
    }
    JobImage image = JobRecovery.recover(JournalStores.open(journal, JOB), JOB).image();
    Files.writeString(golden.resolve("state.txt"), describe(image));
  }

  /// A short life with every kind of event of records in it.
  private static void liveOfRecords(OwnerClient client) {
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
    client.ask(new Command.RestoreKept(1, 0), Answer.CheckpointRestored.class);
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

  /// Nodes run, are killed, resized, and rest: once as they are told, once with nobody there to see
  /// it.
  private static void liveOfNodes(OwnerClient client) {
    client.ask(new Command.ReserveNumbers(new TreeMap<>(Map.of("worker", 2))), Answer.Done.class);
    client.ask(new Command.DefineJob(plan()), Answer.Done.class);
    news(client, new NodeNews.Running(worker(2)));
    news(client, new NodeNews.Running(worker(3)));
    news(client, new NodeNews.Running(new NodeId("ps", 0)));
    killed(client, 2);
    news(client, new NodeNews.Running(worker(4)));
    client.ask(new Command.RestJob(new Rest(true, 0)), Answer.Done.class);
    killed(client, 3);
    client.ask(new Command.ScaleJob(3, "the test"), Answer.Scaled.class);
    client.ask(new Command.RestJob(Rest.NONE), Answer.Done.class);
    killed(client, 4);
    news(client, new NodeNews.Pending(worker(5), "no room"));
    news(client, new NodeNews.Running(worker(6)));
    client.ask(new Command.RestJob(new Rest(false, CLOCK.millis() + 1_000)), Answer.Done.class);
    killed(client, 6);
    client.ask(
        new Command.TakeWish(
            new Wish(
                "wish",
                1,
                "the test",
                List.of(
                    new Wish.RoleWish("worker", 2, new ResourceChange(null, 2_048L, null, null))),
                List.of(),
                List.of(),
                List.of())),
        Answer.WishTaken.class);
    client.ask(new Command.RestJob(new Rest(true, 0)), Answer.Done.class);
  }

  private static JobPlan plan() {
    return new JobPlan(
        JOB,
        1,
        Strategy.ALLREDUCE,
        Elasticity.RESTART,
        new JobPlan.Workers(2, 1, 4, 1, new NodeResources(1, 512, 0)),
        1,
        List.of("python3", "train.py"),
        Map.of(),
        "/work",
        new JobPlan.Checkpointing("/checkpoints", 10, 2),
        "/python",
        500,
        List.of(new JobPlan.RolePlan("ps", 1, 0, 3, 2, new NodeResources(1, 256, 1, 9))));
  }

  private static NodeId worker(int number) {
    return new NodeId(NodeId.WORKER, number);
  }

  private static void news(OwnerClient client, NodeNews news) {
    client.ask(new Command.ObserveNode(news), Answer.Done.class);
  }

  private static void killed(OwnerClient client, int number) {
    news(client, new NodeNews.Ended(worker(number), 137, false, null, "killed"));
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

package dev.pliant.master.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What happens to all nodes of a large job at once has as many consequences, and each has its end.
class ManyNodesTest {
  private static final JobId JOB = new JobId("default", "many");
  private static final DatasetName DATA = new DatasetName("data");

  private final JournalLocation journal = JournalLocation.memory();

  private JobOwner start() throws IOException {
    return JobOwner.start(
        JOB, JournalStores.open(journal, JOB), JobOwner.Limits.DEFAULT, InstantSource.system());
  }

  private static JobPlan plan(int nodes, int processes) {
    return new JobPlan(
        JOB,
        2,
        Strategy.LOCAL,
        Elasticity.NONE,
        new JobPlan.Workers(nodes, 1, nodes, 3, NodeResources.UNBOUNDED),
        processes,
        List.of("true"),
        Map.of(),
        "/",
        null,
        "",
        1_000,
        List.of());
  }

  private static void begin(OwnerClient client, int nodes, int processes) {
    client.ask(new Command.DefineJob(plan(nodes, processes)), Answer.Done.class);
    List<NodeNews> running =
        IntStream.range(0, nodes)
            .<NodeNews>mapToObj(i -> new NodeNews.Running(new NodeId("worker", i)))
            .toList();
    client.ask(new Command.ListNodes(running), Answer.Done.class);
  }

  private static List<NodeId> staying(OwnerClient client) {
    return client.ask(new Command.GetJob(), Answer.Job.class).nodes().nodes().stream()
        .filter(Node::staying)
        .map(Node::id)
        .toList();
  }

  @Test
  void allOfThemGoOnAfterARest() throws IOException {
    try (JobOwner owner = start()) {
      OwnerClient client = new OwnerClient(owner);
      begin(client, 2_000, 1);

      client.ask(new Command.RestJob(new Rest(true, 0)), Answer.Done.class);
      assertThat(staying(client)).isEmpty();
      client.ask(new Command.RestJob(Rest.NONE), Answer.Done.class);

      assertThat(staying(client)).hasSize(2_000).contains(new NodeId("worker", 3_999));
    }
  }

  @Test
  void allOfThemAreReplacedWhenTheyAreGoneAtOnceWithTheirWorkers() throws IOException {
    try (JobOwner owner = start()) {
      OwnerClient client = new OwnerClient(owner);
      begin(client, 128, 8);
      client.ask(
          new Command.CreateDataset(
              new DatasetSpec(
                  DATA,
                  new DatasetSpec.Source.Table(2_000),
                  new DatasetSpec.Consumption.Shards(1, 3),
                  1,
                  DatasetSpec.Shuffle.NONE,
                  0)),
          Answer.Created.class);
      for (int node = 0; node < 128; node++) {
        for (WorkerId worker : new NodeId("worker", node).workers(8)) {
          client.ask(new Command.Lease(worker, DATA, 1, 0), Answer.Leased.class);
        }
      }

      client.ask(new Command.ListNodes(List.of()), Answer.Done.class);

      assertThat(staying(client)).hasSize(128).contains(new NodeId("worker", 255));
      assertThat(client.ask(new Command.GetJob(), Answer.Job.class).workers())
          .hasSize(1_024)
          .noneMatch(worker -> worker.live());
    }
  }
}

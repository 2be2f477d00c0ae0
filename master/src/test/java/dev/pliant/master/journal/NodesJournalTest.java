package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Command;
import dev.pliant.machine.Event;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Silence;
import dev.pliant.machine.Step;
import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import dev.pliant.model.WorkerId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What happens to nodes is in the journal as it was decided, and comes back from it the same.
class NodesJournalTest {
  private static final JobId JOB = new JobId("default", "nodes");
  private static final DatasetName DATASET = new DatasetName("train");

  private final JobState state = new JobState(JOB);
  private final JobState replayed = new JobState(JOB);
  private final TreeSet<String> kinds = new TreeSet<>();
  private long now = 1_000_000;

  private static JobPlan plan(long run, int wish) {
    return new JobPlan(
        JOB,
        run,
        Strategy.ALLREDUCE,
        Elasticity.RESTART,
        new JobPlan.Workers(wish, 1, 4, 1, new NodeResources(10, 512, 0)),
        2,
        List.of("python3", "train.py"),
        Map.of("TOKEN", "secret"),
        "/work",
        new JobPlan.Checkpointing("/checkpoints", 10, 2, "/old", true),
        "/python",
        500,
        List.of(new JobPlan.RolePlan("ps", 1, 0, 3, 2, new NodeResources(1, 256, 1, 9))),
        new ResourceLimits(100.5, 1_000_000L, null, wish * 100_000L),
        "u-1");
  }

  private void tell(Command command) {
    Step step = JobMachine.step(state, List.of(List.of(command)), now);
    PliantException refusal = step.outcomes().getFirst().refusal();
    if (refusal != null) {
      throw refusal;
    }
    for (Event event : step.events()) {
      Event read = EventCodec.decode(EventCodec.encode(event));
      if (event instanceof Event.Nodes(NodeEvent nodeEvent)) {
        assertThat(read).isEqualTo(event);
        kinds.add(nodeEvent.getClass().getSimpleName());
      }
      replayed.apply(read, now);
    }
  }

  private void tell(NodeNews news) {
    tell(new Command.ObserveNode(news));
  }

  private static NodeId worker(int number) {
    return new NodeId(NodeId.WORKER, number);
  }

  @Test
  void everyEventAndEveryStateComesBackAsItWas() {
    SplittableRandom random = new SplittableRandom(7);
    tell(new Command.ReserveNumbers(new TreeMap<>(Map.of("worker", 3, "ps", 1))));
    tell(new Command.DefineJob(plan(2, 2)));
    for (int step = 0; step < 600; step++) {
      now += random.nextInt(200_000);
      NodeId node = worker(random.nextInt(state.image().nodes().nextNumber()));
      switch (random.nextInt(10)) {
        case 9 ->
            tell(
                new Command.RestJob(
                    new Rest(random.nextInt(3) == 0, now - random.nextInt(100_000))));
        case 8 ->
            tell(
                new Command.TakeWish(
                    new Wish(
                        "wish-" + random.nextInt(4),
                        random.nextInt(50),
                        "chance",
                        List.of(
                            new Wish.RoleWish(
                                random.nextBoolean() ? "ps" : "worker",
                                random.nextInt(5),
                                new ResourceChange(null, random.nextLong(512, 4_096), null, 7L))),
                        List.of(),
                        List.of(),
                        List.of())));
        case 0 -> {
          if (state.image().nodes().phase().goesOn()
              && state.image().nodes().finishingMillis() == 0) {
            tell(new Command.ScaleJob(random.nextInt(6), "chance"));
          }
        }
        case 1 -> tell(new NodeNews.Ended(node, 137, random.nextInt(3) == 0, null, "killed"));
        case 2 ->
            tell(
                new Command.CheckNode(
                    node, new Silence(15_001, true), new Silence.Limits(15_000, 90_000)));
        case 3 -> tell(new NodeNews.Pending(node, "no room", random.nextBoolean()));
        case 4 -> tell(new Command.CheckDeadlines());
        case 5 -> {
          if (random.nextInt(20) == 0) {
            tell(new NodeNews.Ended(node, random.nextInt(2), false, null, "it ended"));
          }
        }
        default -> tell(new NodeNews.Running(node));
      }
      if (state.image().nodes().phase().ended()) {
        tell(new Command.DefineJob(plan(step + 3, 2)));
      }
      var image = state.image();
      assertThat(replayed.image()).isEqualTo(image);
      assertThat(SnapshotCodec.decode(SnapshotCodec.encode(image))).isEqualTo(image);
    }
    // A node that finds no room and can be made no smaller.
    tell(new Command.RestJob(Rest.NONE));
    tell(new Command.ScaleJob(4, "the test"));
    now += 10_000_000;
    tell(new Command.CheckDeadlines());

    assertThat(kinds)
        .isEqualTo(
            Arrays.stream(NodeEvent.class.getPermittedSubclasses())
                .map(Class::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  @Test
  void whatWasWrittenBeforeThereWereOtherRolesIsOfWorkers() {
    var encoded =
        dev.pliant.protocol.journal.v1.Event.newBuilder()
            .setJobScaled(dev.pliant.protocol.journal.v1.JobScaled.newBuilder().setWish(3))
            .build();

    assertThat(EventCodec.decode(encoded))
        .isEqualTo(new Event.Nodes(new NodeEvent.Scaled("worker", 3)));
    assertThat(EventCodec.encode(new Event.Nodes(new NodeEvent.Scaled("worker", 3))))
        .isEqualTo(encoded);
  }

  @Test
  void variablesAreNotWrittenDown() {
    tell(new Command.DefineJob(plan(1, 2)));

    assertThat(SnapshotCodec.encode(state.image()).toString()).doesNotContain("secret");
  }

  @Test
  void theWorkersOfANodeThatEndsEndWithItAndTheirShardsGoBack() {
    tell(new Command.DefineJob(plan(1, 1)));
    tell(
        new Command.CreateDataset(
            new DatasetSpec(
                DATASET,
                new DatasetSpec.Source.Table(100),
                new DatasetSpec.Consumption.Shards(10, 3),
                1,
                DatasetSpec.Shuffle.NONE,
                0)));
    tell(new NodeNews.Running(worker(0)));
    tell(new Command.Lease(new WorkerId("worker-0-0"), DATASET, 2, 0));
    tell(new Command.Lease(new WorkerId("worker-0-1"), DATASET, 1, 0));
    tell(new Command.Lease(new WorkerId("elsewhere"), DATASET, 1, 0));

    tell(new NodeNews.Ended(worker(0), 137, false, null, ""));

    assertThat(state.liveWorkers()).containsExactly(new WorkerId("elsewhere"));
    assertThat(state.image().workers())
        .filteredOn(worker -> !worker.live())
        .extracting(worker -> worker.reason())
        .containsExactly(ExitReason.KILLED, ExitReason.KILLED);
    assertThat(replayed.image()).isEqualTo(state.image());
  }
}

package dev.pliant.master.journal;

import dev.pliant.machine.Command;
import dev.pliant.machine.Silence;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.ShardReport.Fate;
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
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Commands by chance, of every kind, for a job whose nodes, workers and datasets are few.
public final class RandomCommands {
  private static final int NODES = 9;

  private RandomCommands() {}

  /// A command of any kind, for a job that may have nodes of its own.
  public static Command any(SplittableRandom random, List<ShardReport> known) {
    return random.nextInt(3) == 0 ? next(random, known) : ofNodes(random);
  }

  private static Command ofNodes(SplittableRandom random) {
    NodeId node = node(random);
    return switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> new Command.ObserveNode(new NodeNews.Running(node));
      case 8 ->
          new Command.ObserveNode(new NodeNews.Pending(node, "no room", random.nextBoolean()));
      case 9, 10, 11 -> new Command.ObserveNode(ended(random, node));
      case 12 -> new Command.ListNodes(List.of(new NodeNews.Running(node), ended(random, node)));
      case 13 ->
          new Command.CheckNode(
              node,
              new Silence(random.nextInt(100_000), random.nextBoolean()),
              new Silence.Limits(15_000, 90_000));
      case 14, 15 -> new Command.ScaleJob(random.nextInt(6), "chance");
      case 16, 17 -> new Command.TakeWish(wish(random));
      case 18 -> new Command.RecallWish(wish(random));
      case 19 -> new Command.RestJob(new Rest(random.nextInt(3) == 0, random.nextLong(20_000_000)));
      case 20 ->
          random.nextInt(6) == 0 ? new Command.StopJob("chance") : new Command.CheckDeadlines();
      case 21 ->
          new Command.ReserveNumbers(
              new TreeMap<>(Map.of("worker", random.nextInt(3), "ps", random.nextInt(2))));
      default -> new Command.DefineJob(plan(random));
    };
  }

  private static NodeId node(SplittableRandom random) {
    return random.nextInt(5) == 0
        ? new NodeId("ps", random.nextInt(3))
        : new NodeId("worker", random.nextInt(NODES));
  }

  private static NodeNews ended(SplittableRandom random, NodeId node) {
    @Nullable ExitReason said =
        random.nextBoolean() ? null : ExitReason.values()[random.nextInt(1, 7)];
    return new NodeNews.Ended(
        node, random.nextInt(8) == 0 ? 0 : 137, random.nextInt(6) == 0, said, "it ended");
  }

  private static JobPlan plan(SplittableRandom random) {
    boolean group = random.nextInt(3) > 0;
    int min = 1 + random.nextInt(2);
    return new JobPlan(
        new JobId("default", "replay"),
        1 + random.nextInt(3),
        group ? Strategy.ALLREDUCE : Strategy.LOCAL,
        group ? Elasticity.IN_PROCESS : Elasticity.NONE,
        new JobPlan.Workers(
            min + random.nextInt(2),
            min,
            4,
            random.nextInt(3),
            random.nextInt(2) * 60_000L,
            new NodeResources(10, random.nextInt(2) * 16_384L, 0)),
        1,
        List.of("python3", "train.py"),
        Map.of("TOKEN", "secret"),
        "/work",
        random.nextBoolean()
            ? null
            : new JobPlan.Checkpointing("/checkpoints", 10, 2, "/old", true),
        "/python",
        500,
        random.nextBoolean()
            ? List.of()
            : List.of(new JobPlan.RolePlan("ps", 1, 0, 3, 2, new NodeResources(1, 256, 0))),
        random.nextInt(3) == 0
            ? new ResourceLimits(60.0, 100_000L, null, null)
            : ResourceLimits.NONE,
        "u-1");
  }

  private static Wish wish(SplittableRandom random) {
    String role = random.nextInt(3) == 0 ? "ps" : "worker";
    ResourceChange size =
        new ResourceChange(
            random.nextBoolean() ? null : 1.0 + random.nextInt(12),
            random.nextBoolean() ? null : random.nextLong(512, 20_000),
            null,
            null);
    return new Wish(
        "request-" + random.nextInt(3),
        random.nextInt(40),
        "chance",
        random.nextBoolean() ? Wish.UnknownRole.REFUSED : Wish.UnknownRole.LEFT_OUT,
        random.nextBoolean()
            ? List.of()
            : List.of(
                new Wish.RoleWish(role, random.nextBoolean() ? null : random.nextInt(5), size)),
        random.nextInt(4) > 0 ? List.of() : List.of(new Wish.NewNode(role, size)),
        random.nextInt(4) > 0 ? List.of() : List.of(node(random)),
        random.nextInt(4) > 0 ? List.of() : List.of(new Wish.Replacement(node(random), size)));
  }

  private static Command rendezvous(SplittableRandom random) {
    int number = random.nextInt(5);
    NodeId node = new NodeId("worker", number);
    MemberId member = new MemberId(new WorkerId("worker-" + number), 1 + random.nextInt(3));
    long world = random.nextInt(6);
    Standing waits = Standing.waits(member, world, random.nextBoolean(), "h:" + (1 + number));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new Command.Arrive(node, List.of(waits));
      case 3 ->
          new Command.OpenMeeting(
              node,
              random.nextBoolean()
                  ? List.of()
                  : List.of(world == 0 ? waits : Standing.trains(member, world)));
      case 4 ->
          new Command.Leave(
              member,
              ExitReason.values()[
                  random.nextInt(40) == 0 ? 0 : random.nextInt(1, ExitReason.values().length)],
              "said");
      case 5 -> new Command.Drain(member);
      case 6 ->
          new Command.SetRules(
              RendezvousRules.of(1 + random.nextInt(2), 2 + random.nextInt(3))
                  .withWished(random.nextInt(4)));
      default -> random.nextBoolean() ? new Command.CheckDeadlines() : new Command.StartMaster(7);
    };
  }

  /// A command of any kind but those of nodes.
  static Command next(SplittableRandom random, List<ShardReport> known) {
    WorkerId worker = new WorkerId("w" + random.nextInt(4));
    DatasetName dataset = new DatasetName("d" + random.nextInt(4));
    return switch (random.nextInt(20)) {
      case 0, 1 -> new Command.CreateDataset(spec(dataset, random.nextInt(4)));
      case 2, 3, 4 -> new Command.Lease(worker, dataset, random.nextInt(1, 9), random.nextInt(3));
      case 5, 6, 7 -> new Command.Report(worker, dataset, some(random, known));
      case 8 ->
          new Command.Open(
              worker,
              dataset,
              some(random, known).stream()
                  .map(r -> new Command.Held(r.number(), r.lease()))
                  .toList());
      case 9 ->
          new Command.EndWorker(
              worker, ExitReason.values()[random.nextInt(ExitReason.values().length)], "said");
      case 10 ->
          new Command.GrowStream(
              dataset,
              List.of(new Partition("p" + random.nextInt(3), 0, random.nextInt(200))),
              random.nextInt(20) == 0);
      case 11 ->
          new Command.CommitStep(
              dataset,
              random.nextInt(2),
              random.nextInt(6),
              random.nextInt(3),
              random.nextBoolean(),
              new TreeMap<>(Map.of("loss", random.nextDouble(), "m" + random.nextInt(40), 1.0)));
      case 12 ->
          random.nextBoolean()
              ? new Command.TakeCheckpoint()
              : new Command.RestoreKept(random.nextInt(0, 8), random.nextInt(0, 3));
      case 14, 15, 16, 17, 18, 19 -> rendezvous(random);
      default ->
          new Command.CheckWorker(
              worker,
              new Silence(random.nextInt(30_000), random.nextBoolean()),
              new Silence.Limits(15_000, 20_000));
    };
  }

  private static DatasetSpec spec(DatasetName name, int kind) {
    Consumption shards = new Consumption.Shards(7, 3);
    return switch (kind) {
      case 0 -> new DatasetSpec(name, new Source.Table(500), shards, 3, Shuffle.SHARDS, 5);
      case 1 -> new DatasetSpec(name, new Source.Text(300), shards, 2, Shuffle.RECORDS, -5);
      case 2 ->
          new DatasetSpec(
              name, new Source.Text(60), new Consumption.Steps(9), 2, Shuffle.RECORDS, 1);
      default ->
          new DatasetSpec(
              name,
              new Source.Stream(List.of(new Partition("p0", 3, 30))),
              shards,
              1,
              Shuffle.NONE,
              0);
    };
  }

  private static List<ShardReport> some(SplittableRandom random, List<ShardReport> known) {
    List<ShardReport> some = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0 && !known.isEmpty(); i--) {
      ShardReport report = known.get(random.nextInt(known.size()));
      Fate fate = Fate.values()[random.nextInt(8) == 0 ? random.nextInt(1, 3) : 0];
      some.add(new ShardReport(report.number(), report.lease(), fate, "cause"));
    }
    return some;
  }
}

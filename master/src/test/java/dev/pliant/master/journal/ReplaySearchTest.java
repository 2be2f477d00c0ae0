package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Event;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Silence;
import dev.pliant.machine.Step;
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
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Random commands of every kind: a state made from the encoded events, or from an encoded snapshot
/// and the events after it, is the state itself.
class ReplaySearchTest {
  private static final JobId JOB = new JobId("default", "replay");

  @Test
  void replayMakesTheSameState() throws Exception {
    for (long seed = 1; seed <= 150; seed++) {
      live(seed);
    }
  }

  private static void live(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    JobState state = new JobState(JOB);
    JobState replayed = new JobState(JOB);
    List<ShardReport> known = new ArrayList<>();
    long now = 1_000;
    for (int i = 0; i < 300; i++) {
      now += random.nextInt(random.nextInt(8) == 0 ? 400_000 : 4_000);
      Step step = JobMachine.step(state, List.of(List.of(command(random, known))), now);
      for (Event event : step.events()) {
        byte[] bytes = EventCodec.encode(event).toByteArray();
        replayed.apply(
            EventCodec.decode(dev.pliant.protocol.journal.v1.Event.parseFrom(bytes)), now);
      }
      for (Answer answer : step.outcomes().getFirst().answers()) {
        if (answer instanceof Answer.Leased leased) {
          leased
              .shards()
              .forEach(s -> known.add(new ShardReport(s.number(), s.lease(), Fate.DONE, "")));
        }
      }
      if (random.nextInt(20) == 0) {
        byte[] snapshot = SnapshotCodec.encode(replayed.image()).toByteArray();
        replayed = JobState.of(SnapshotCodec.decode(Snapshot.parseFrom(snapshot)));
      }
      assertThat(replayed.image()).as("seed %d, step %d", seed, i).isEqualTo(state.image());
    }
    List<List<Command>> question = List.of(List.of(new Command.GetJob()));
    assertThat(JobMachine.step(replayed, question, now).outcomes().getFirst().answers())
        .isEqualTo(JobMachine.step(state, question, now).outcomes().getFirst().answers());
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

  private static Command command(SplittableRandom random, List<ShardReport> known) {
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

package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Event;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Step;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.model.JobId;
import dev.pliant.protocol.journal.v1.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
      Step step = JobMachine.step(state, List.of(List.of(RandomCommands.next(random, known))), now);
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
}

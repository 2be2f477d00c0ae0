package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.LedgerImage;
import dev.pliant.machine.Step;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.master.replay.JobReplay;
import dev.pliant.master.replay.Replayed;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Many small lives of a job: random requests, masters that follow each other, snapshots, batches
/// whose writing fails. Each journal is decided again without a difference, and each master finds
/// the state that the one before it had.
class JobReplaySearchTest {
  private static final JobId JOB = new JobId("default", "replay");
  private static final int JOBS = Integer.getInteger("pliant.replays", 2_000);

  @Test
  void decidesEveryJournalAgainWithoutADifference() throws IOException {
    long commands = 0;
    long decisions = 0;
    for (long seed = 1; seed <= JOBS; seed++) {
      Life life = new Life(seed);
      life.live();
      Replayed replayed = JobReplay.of(JOB, life.journal);
      assertThat(replayed.difference()).as("seed %d", seed).isEmpty();
      commands += replayed.commands();
      decisions += replayed.decisions();
    }
    assertThat(commands).isGreaterThan(10L * JOBS);
    assertThat(decisions).isGreaterThan(3L * JOBS);
  }

  /// The life of one job, with a master that does what the owner does.
  private static final class Life {
    final JournalLocation journal = JournalLocation.memory();
    private final long seed;
    private final SplittableRandom random;
    private final List<ShardReport> known = new ArrayList<>();
    private final int fullBytes;
    private List<LedgerImage> given = List.of();
    private JournalStore store;
    private JobState state;
    private long now = 1_000_000;

    Life(long seed) throws IOException {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.fullBytes = random.nextInt(3) == 0 ? 1 + random.nextInt(500) : 8 << 20;
      this.store = JournalStores.open(journal, JOB);
      this.state = new JobState(JOB);
      startMaster();
    }

    void live() throws IOException {
      for (int i = 0; i < 25; i++) {
        now += random.nextInt(random.nextInt(8) == 0 ? 1_000_000 : 4_000);
        boolean whole = write(requests());
        if (!whole) {
          resume();
        } else if (random.nextInt(12) == 0) {
          store.saveSnapshot(state.events(), SnapshotCodec.encode(state.image()).toByteArray());
        } else if (random.nextInt(12) == 0) {
          var image = state.image();
          startMaster(image);
        }
      }
    }

    private List<List<Command>> requests() {
      List<List<Command>> requests = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        List<Command> commands = new ArrayList<>();
        for (int j = random.nextInt(3); j >= 0; j--) {
          commands.add(
              given.isEmpty() || random.nextInt(40) > 0
                  ? RandomCommands.any(random, known)
                  : restore());
        }
        requests.add(commands);
      }
      return requests;
    }

    /// Restores a checkpoint that was kept outside, of this job or of another one.
    private Command restore() {
      return new Command.RestoreGiven(
          1 + random.nextInt(9),
          given,
          random.nextInt(4),
          random.nextBoolean() ? "u-1" : "u-2",
          random.nextBoolean());
    }

    /// Decides requests and writes the step; false where only its first batches could be written.
    private boolean write(List<List<Command>> requests) throws IOException {
      long next = state.events() + 1;
      Step step = JobMachine.step(state, requests, now);
      List<StepBatches.Part> parts = StepBatches.of(step, next, now, fullBytes);
      boolean fails = random.nextInt(15) == 0 && !parts.isEmpty();
      int written = fails ? random.nextInt(parts.size()) : parts.size();
      for (StepBatches.Part part : parts.subList(0, written)) {
        store.append(part.batch());
      }
      for (Step.Outcome outcome : step.outcomes()) {
        for (Answer answer : outcome.answers()) {
          if (answer instanceof Answer.CheckpointTaken taken) {
            given = CheckpointCodec.whole(CheckpointCodec.small(taken.ledgers()));
          }
          if (answer instanceof Answer.Leased leased) {
            leased
                .shards()
                .forEach(s -> known.add(new ShardReport(s.number(), s.lease(), Fate.DONE, "")));
          }
        }
      }
      return !fails;
    }

    /// The last step is on disk only in part: the same master goes on from there, or another one.
    private void resume() throws IOException {
      if (random.nextBoolean()) {
        startMaster();
        return;
      }
      do {
        state = JobRecovery.recover(store, JOB);
        store.begin(state.events() + 1);
        now += random.nextInt(3_000);
      } while (!write(List.of()));
    }

    private void startMaster(Object before) throws IOException {
      store = JournalStores.open(journal, JOB);
      assertThat(JobRecovery.recover(store, JOB).image()).as("seed %d", seed).isEqualTo(before);
      startMaster();
    }

    private void startMaster() throws IOException {
      now += random.nextInt(400_000);
      store = JournalStores.open(journal, JOB);
      long epoch = store.claim();
      List<List<Command>> request = List.of(List.of(new Command.StartMaster(epoch)));
      do {
        state = JobRecovery.recover(store, JOB);
        store.begin(state.events() + 1);
      } while (!write(request));
    }
  }
}

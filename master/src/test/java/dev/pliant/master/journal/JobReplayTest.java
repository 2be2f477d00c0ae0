package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Step;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.replay.JobReplay;
import dev.pliant.master.replay.Replayed;
import dev.pliant.master.replay.Replayed.Difference;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.Event;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A replay of journals that another rule has written, or that were altered: each batch has a right
/// checksum.
class JobReplayTest {
  private static final JobId JOB = new JobId("default", "replay");

  @TempDir Path folder;

  private final JobState state = new JobState(JOB);
  private final List<Batch> batches = new ArrayList<>();
  private long now = 1_000_000;

  /// A worker is killed twice: the second time, the next one is waited for.
  @BeforeEach
  void live() {
    tell(new Command.StartMaster(1));
    tell(new Command.DefineJob(plan()));
    tell(new Command.ObserveNode(new NodeNews.Running(worker(0))));
    tell(new Command.ScaleJob(2, "somebody"));
    tell(killed(0));
    tell(new Command.ObserveNode(new NodeNews.Running(worker(2))));
    tell(killed(2));
    now += 10_000;
    tell(new Command.CheckDeadlines());
  }

  private void tell(Command command) {
    now += 100;
    long next = state.events() + 1;
    Step step = JobMachine.step(state, List.of(List.of(command)), now);
    StepBatches.of(step, next, now).forEach(part -> batches.add(part.batch()));
  }

  private static JobPlan plan() {
    return new JobPlan(
        JOB,
        1,
        Strategy.ALLREDUCE,
        Elasticity.IN_PROCESS,
        new JobPlan.Workers(1, 1, 4, 1, NodeResources.UNBOUNDED),
        1,
        List.of("true"),
        Map.of("TOKEN", "secret"),
        "/",
        null,
        "",
        500,
        List.of());
  }

  private static NodeId worker(int number) {
    return new NodeId(NodeId.WORKER, number);
  }

  private static Command killed(int number) {
    return new Command.ObserveNode(new NodeNews.Ended(worker(number), 137, false, null, "killed"));
  }

  private Replayed replay() throws IOException {
    JournalLocation journal = JournalLocation.folder(folder);
    try (JournalStore store = JournalStores.open(journal, JOB)) {
      assertThat(store.claim()).isEqualTo(1);
      store.begin(1);
      for (Batch batch : batches) {
        store.append(batch);
      }
    }
    return JobReplay.of(JOB, journal);
  }

  private Difference difference() throws IOException {
    return replay().difference().orElseThrow();
  }

  /// Changes the last event for which `which` holds; returns its number.
  private long alter(Predicate<Event> which, Consumer<Event.Builder> change) {
    for (int b = batches.size() - 1; b >= 0; b--) {
      Batch.Builder batch = batches.get(b).toBuilder();
      for (int e = batch.getEventsCount() - 1; e >= 0; e--) {
        if (which.test(batch.getEvents(e))) {
          change.accept(batch.getEventsBuilder(e));
          batches.set(b, batch.build());
          return batch.getFirstSequence() + e;
        }
      }
    }
    throw new AssertionError("there is no such event");
  }

  @Test
  void findsNoDifferenceInWhatThisMachineDecided() throws IOException {
    Replayed replayed = replay();

    assertThat(replayed.difference()).isEmpty();
    assertThat(replayed.commands()).isEqualTo(7);
    assertThat(replayed.events()).isEqualTo(state.events());
    assertThat(replayed.decisions()).isEqualTo(state.image().decisions().made());
    assertThat(replayed.applied()).isZero();
    assertThat(replayed.from()).contains(Instant.ofEpochMilli(1_000_100));
    assertThat(replayed.span()).hasMillis(10_700);
    assertThat(batches.toString()).doesNotContain("secret");
  }

  @Test
  void findsThatARuleHadAnotherConstant() throws IOException {
    long sequence =
        alter(
            Event::hasRelaunchPlanned,
            event -> event.getRelaunchPlannedBuilder().getRelaunchBuilder().setBackoffMs(2_000));

    Difference found = difference();

    assertThat(found.sequence()).isEqualTo(sequence);
    assertThat(found.segment()).isEqualTo("0000000000000001-00000001.journal");
    assertThat(found.offset()).isPositive();
    assertThat(found.at()).isEqualTo(Instant.ofEpochMilli(1_000_700));
    assertThat(found.command()).as("it followed").isEmpty();
    assertThat(found.recorded()).startsWith("relaunch_planned {").contains("backoff_ms: 2000");
    assertThat(found.decided()).startsWith("relaunch_planned {").contains("backoff_ms: 1000");
  }

  @Test
  void namesTheCommandWhoseEventDiffers() throws IOException {
    long sequence = alter(Event::hasJobScaled, event -> event.getJobScaledBuilder().setWish(3));

    Difference found = difference();

    assertThat(found.sequence()).isEqualTo(sequence);
    assertThat(found.command()).isEqualTo("scale_job { workers: 2 who: \"somebody\" }");
    assertThat(found.recorded()).isEqualTo("job_scaled { wish: 3 }");
    assertThat(found.decided()).isEqualTo("job_scaled { wish: 2 }");
  }

  @Test
  void findsAnEventThatIsNotRecorded() throws IOException {
    Batch last = batches.getLast();
    batches.set(
        batches.size() - 1, last.toBuilder().removeEvents(last.getEventsCount() - 1).build());

    Difference found = difference();

    assertThat(found.sequence()).isEqualTo(state.events());
    assertThat(found.recorded()).isEmpty();
    assertThat(found.decided()).isNotEmpty();
  }

  @Test
  void findsAnEventThatIsNotDecided() throws IOException {
    Batch last = batches.getLast();
    batches.set(
        batches.size() - 1, last.toBuilder().addEvents(batches.getFirst().getEvents(0)).build());

    Difference found = difference();

    assertThat(found.sequence()).isEqualTo(state.events() + 1);
    assertThat(found.recorded()).isEqualTo("master_started { epoch: 1 }");
    assertThat(found.decided()).isEmpty();
  }

  @Test
  void findsThatACommandIsRefusedNow() throws IOException {
    // The plan is missing, so nothing can be scaled.
    Batch scaled =
        batches.stream().filter(b -> b.getCommands(0).hasScaleJob()).findFirst().orElseThrow();
    batches.subList(1, batches.size()).clear();
    batches.add(scaled.toBuilder().setFirstSequence(2).build());

    Difference found = difference();

    assertThat(found.sequence()).isEqualTo(2);
    assertThat(found.command()).startsWith("scale_job");
    assertThat(found.recorded()).startsWith("job_scaled");
    assertThat(found.decided()).contains("the command is refused: this master starts no nodes");
  }

  @Test
  void anEmptyJournalHasNoDifference() throws IOException {
    batches.clear();

    Replayed replayed = replay();

    assertThat(replayed.same()).isTrue();
    assertThat(replayed.from()).isEmpty();
    assertThat(replayed.span()).isZero();
  }
}

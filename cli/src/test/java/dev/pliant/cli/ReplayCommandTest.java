package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Step;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.journal.StepBatches;
import dev.pliant.model.JobId;
import dev.pliant.protocol.journal.v1.Batch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `pliant replay` of a folder that lies anywhere.
final class ReplayCommandTest {
  private static final JobId JOB = new JobId("research", "count");
  private static final long NOON = 1_763_467_200_000L;

  @TempDir Path folder;

  /// Three steps, a minute apart.
  private static List<Batch> batches() {
    JobState state = new JobState(JOB);
    List<Batch> batches = new ArrayList<>();
    long now = NOON;
    for (Command command :
        List.of(
            new Command.StartMaster(1),
            new Command.SetRules(RendezvousRules.of(2, 4)),
            new Command.TakeCheckpoint())) {
      long next = state.events() + 1;
      Step step = JobMachine.step(state, List.of(List.of(command)), now);
      StepBatches.of(step, next, now).forEach(part -> batches.add(part.batch()));
      now += 60_000;
    }
    return batches;
  }

  private void write(List<Batch> batches) throws IOException {
    Path journal = Files.createDirectories(folder.resolve("journal"));
    try (JournalStore store = JournalStores.open(JournalLocation.folder(journal), JOB)) {
      assertThat(store.claim()).isPositive();
      store.begin(1);
      for (Batch batch : batches) {
        store.append(batch);
      }
    }
  }

  private Called replay(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("replay", "research/count", "--folder", folder.toString()));
    arguments.addAll(List.of(more));
    return Called.with(arguments.toArray(String[]::new));
  }

  @Test
  void saysWhatWasReplayed() throws IOException {
    write(batches());

    Called called = replay();

    assertThat(called.exitCode()).as(called::err).isZero();
    assertThat(called.out())
        .isEqualTo(
            "replay: no difference. Decided again: 3 commands with 3 events, of these 0 decisions,"
                + " from 2025-11-18T12:00:00Z to 2025-11-18T12:02:00Z (2 min 0 s). Applied as"
                + " recorded: 0 events of leases and reports.\n");
    assertThat(replay("-o", "json").out())
        .isEqualTo(
            "{\"job\":\"research/count\",\"same\":true,\"commands\":3,\"events\":3,\"decisions\":0,"
                + "\"applied\":0,\"from\":\"2025-11-18T12:00:00Z\",\"to\":\"2025-11-18T12:02:00Z\"}\n");
  }

  @Test
  void saysWhereTheFirstDifferenceIs() throws IOException {
    List<Batch> batches = batches();
    Batch.Builder altered = batches.getLast().toBuilder();
    altered.getEventsBuilder(0).getCheckpointTakenBuilder().setNumber(2);
    batches.set(2, altered.build());
    write(batches);

    Called called = replay();

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.out().replaceFirst("byte \\d+", "byte N"))
        .isEqualTo(
            """
            replay: the first DIFFERENCE is at event 3 (batch at byte N of 0000000000000001-00000001.journal, 2025-11-18T12:02:00Z).
            command:  take_checkpoint { }
            recorded: checkpoint_taken { number: 2 }
            decided:  checkpoint_taken { number: 1 }
            """);
    assertThat(replay("-o", "json").out())
        .contains("\"same\":false", "\"event\":3", "\"command\":\"take_checkpoint { }\"");
  }

  @Test
  void saysThatThereIsNoJournal() {
    Called called = replay();

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err()).startsWith("pliant: job research/count has no journal here");
  }
}

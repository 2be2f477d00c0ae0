package dev.pliant.master.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Command;
import dev.pliant.master.journal.ForgetfulDisk;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.journal.RandomCommands;
import dev.pliant.master.replay.JobReplay;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// What a real owner has written is decided again without a difference, whenever its power fails or
/// its disk is full.
class ReplayAfterCrashTest {
  private static final JobId JOB = new JobId("default", "replay");
  private static final JobOwner.Limits SMALL = new JobOwner.Limits(64, 2_000);

  /// A clock that jumps ahead each time it is read.
  private static InstantSource clock(SplittableRandom random) {
    long[] now = {1_000_000};
    return () -> {
      synchronized (now) {
        now[0] += random.nextInt(random.nextInt(6) == 0 ? 400_000 : 2_000);
        return Instant.ofEpochMilli(now[0]);
      }
    };
  }

  private static JobOwner start(ForgetfulDisk disk, InstantSource clock) throws IOException {
    return JobOwner.start(
        JOB, JournalStores.open(new JournalLocation.Folder(disk), JOB), SMALL, clock);
  }

  private static void assertSame(ForgetfulDisk disk, long seed) throws IOException {
    assertThat(JobReplay.of(JOB, new JournalLocation.Folder(disk)).difference())
        .as("seed %d", seed)
        .isEmpty();
  }

  /// Sends requests until one is not answered because the journal fails.
  private static void ask(JobOwner owner, SplittableRandom random, int requests) {
    OwnerClient client = new OwnerClient(owner);
    for (int i = 0; i < requests; i++) {
      List<Command> commands = new ArrayList<>();
      for (int j = random.nextInt(3); j >= 0; j--) {
        commands.add(RandomCommands.any(random, List.of()));
      }
      try {
        var unused = OwnerClient.await(client.send(commands.toArray(Command[]::new)));
      } catch (PliantException e) {
        if (e.code() == ErrorCode.JOURNAL_STALLED || e.code() == ErrorCode.INTERNAL) {
          throw e;
        }
      }
    }
  }

  @Test
  void afterThePowerFailed() throws IOException {
    for (long seed = 1; seed <= 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      InstantSource clock = clock(random.split());
      ForgetfulDisk disk = new ForgetfulDisk();
      for (int crash = 0; crash < 5; crash++) {
        disk.failAfter(random.nextInt(10, 300));
        try (JobOwner owner = start(disk, clock)) {
          ask(owner, random, 60);
        } catch (IOException | PliantException e) {
          assertThat(e.getMessage()).doesNotContain("defect");
        }
        disk = disk.afterPowerCut(random);
        assertSame(disk, seed);
      }
    }
  }

  @Test
  void afterTheDiskWasFull() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ForgetfulDisk disk = new ForgetfulDisk();
      // The very first step may be the one that finds no room.
      disk.limit(seed % 2 == 0 ? Long.MAX_VALUE : 0);
      try (JobOwner owner = startWithRoom(disk, clock(random.split()))) {
        for (int i = 0; i < 3; i++) {
          disk.limit(disk.used());
          try {
            ask(owner, random, 400);
          } catch (PliantException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.JOURNAL_STALLED);
          }
          disk.limit(Long.MAX_VALUE);
          awaitRoom(owner);
          ask(owner, random, 40);
        }
      }
      assertSame(disk, seed);
    }
  }

  private static JobOwner startWithRoom(ForgetfulDisk disk, InstantSource clock)
      throws IOException {
    try {
      return start(disk, clock);
    } catch (IOException e) {
      disk.limit(Long.MAX_VALUE);
      return start(disk, clock);
    }
  }

  private static void awaitRoom(JobOwner owner) {
    long until = System.nanoTime() + 20_000_000_000L;
    while (!owner.trouble().isEmpty()) {
      assertThat(System.nanoTime()).as("still stalled").isLessThan(until);
      var unused = OwnerClient.await(new OwnerClient(owner).send(new Command.GetJob()));
    }
  }
}

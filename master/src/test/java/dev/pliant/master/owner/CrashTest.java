package dev.pliant.master.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.shards.DataShardManager.LeaseState;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.ShardReport.Fate;
import dev.pliant.machine.shards.ShardReport.Outcome;
import dev.pliant.master.journal.ForgetfulDisk;
import dev.pliant.master.journal.JobRecovery;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.replay.JobReplay;
import dev.pliant.master.replay.Replayed;
import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verifier;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// A master that loses its power at any operation of its disk, or finds its journal cut at any
/// byte, or its disk full: what it had answered is remembered, every shard is done once.
class CrashTest {
  private static final JobId JOB = new JobId("default", "crash");
  private static final DatasetName DATA = new DatasetName("train");
  private static final DatasetSpec SPEC =
      new DatasetSpec(
          DATA, new Source.Table(600), new Consumption.Shards(5, 3), 2, Shuffle.SHARDS, 11);
  private static final int VERSION_BYTE = 7;
  private static final JobOwner.Limits SMALL = new JobOwner.Limits(64, 2_000);
  private static final JobOwner.Limits NO_SNAPSHOT = new JobOwner.Limits(64, Long.MAX_VALUE);

  /// Three workers that lease and report, and remember what they were told.
  private static final class Load {
    final SplittableRandom random;
    final Map<Long, ShardReport> inHand = new HashMap<>();
    final Map<Long, WorkerId> heldBy = new HashMap<>();
    final Set<Long> toldDone = new HashSet<>();
    boolean ended;

    Load(SplittableRandom random) {
      this.random = random;
    }

    /// One round of calls under way at once; throws where the master is gone.
    void round(OwnerClient client) {
      List<CompletableFuture<List<Answer>>> leases = new ArrayList<>();
      List<CompletableFuture<List<Answer>>> reports = new ArrayList<>();
      List<List<ShardReport>> reported = new ArrayList<>();
      List<WorkerId> workers = new ArrayList<>();
      for (int w = 0; w < 3; w++) {
        WorkerId worker = new WorkerId("w" + w);
        workers.add(worker);
        List<ShardReport> mine =
            inHand.values().stream()
                .filter(r -> worker.equals(heldBy.get(r.number())) && random.nextInt(3) > 0)
                .toList();
        reported.add(mine);
        reports.add(client.send(new Command.Report(worker, DATA, mine)));
        leases.add(client.send(new Command.Lease(worker, DATA, random.nextInt(1, 6), 0)));
      }
      for (int w = 0; w < 3; w++) {
        Answer.Reported told = (Answer.Reported) OwnerClient.await(reports.get(w)).getFirst();
        hear(reported.get(w), told);
        Answer.Leased leased = (Answer.Leased) OwnerClient.await(leases.get(w)).getFirst();
        for (Answer.LeasedShard shard : leased.shards()) {
          assertThat(toldDone).doesNotContain(shard.number());
          inHand.put(shard.number(), new ShardReport(shard.number(), shard.lease(), Fate.DONE, ""));
          heldBy.put(shard.number(), workers.get(w));
        }
        ended = leased.state() == LeaseState.END;
      }
    }

    void hear(List<ShardReport> reports, Answer.Reported told) {
      for (int i = 0; i < reports.size(); i++) {
        Outcome outcome = told.outcomes() == null ? Outcome.DONE : told.outcomes()[i];
        assertThat(outcome).isIn(Outcome.DONE, Outcome.REPEATED);
        inHand.remove(reports.get(i).number());
        toldDone.add(reports.get(i).number());
      }
    }

    /// After a restart: every worker says what it has in hand, and goes on.
    void reopen(OwnerClient client) {
      for (int w = 0; w < 3; w++) {
        WorkerId worker = new WorkerId("w" + w);
        List<Command.Held> held =
            inHand.values().stream()
                .filter(r -> worker.equals(heldBy.get(r.number())))
                .map(r -> new Command.Held(r.number(), r.lease()))
                .toList();
        Answer.Opened opened =
            client.ask(new Command.Open(worker, DATA, held), Answer.Opened.class);
        // A lease that was answered is remembered; one whose report got through is done.
        for (Command.Held lost : opened.revoked()) {
          long number = lost.number();
          Answer.Reported again =
              client.ask(
                  new Command.Report(worker, DATA, List.of(inHand.get(number))),
                  Answer.Reported.class);
          assertThat(again.outcomes()).containsExactly(Outcome.REPEATED);
          toldDone.add(number);
          inHand.remove(number);
        }
      }
    }
  }

  private static JournalStore store(ForgetfulDisk disk) {
    return JournalStores.open(new JournalLocation.Folder(disk), JOB);
  }

  private static JobOwner start(ForgetfulDisk disk) throws IOException {
    return JobOwner.start(JOB, store(disk), SMALL, InstantSource.system());
  }

  private static void create(JobOwner owner) {
    new OwnerClient(owner).ask(new Command.CreateDataset(SPEC), Answer.Created.class);
  }

  private static void verifyWhole(ForgetfulDisk disk, String seed) throws IOException {
    Verification found = new Verifier(JOB, new JournalLocation.Folder(disk)).verify();
    assertThat(found.complete()).as(seed).isTrue();
    assertThat(found.datasets().getFirst().done()).as(seed).isEqualTo(1_200);
    Replayed replayed = JobReplay.of(JOB, new JournalLocation.Folder(disk));
    assertThat(replayed.difference()).as(seed).isEmpty();
    assertThat(replayed.commands()).as(seed).isPositive();
    assertThat(replayed.applied()).as(seed).isPositive();
  }

  @Test
  void remembersWhatItAnsweredWhenThePowerFails() throws IOException {
    for (long seed = 1; seed <= 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ForgetfulDisk disk = new ForgetfulDisk();
      Load load = new Load(random);
      int crashes = 0;
      while (!load.ended) {
        disk.failAfter(crashes == 12 ? Long.MAX_VALUE : random.nextInt(10, 300));
        try (JobOwner owner = start(disk)) {
          create(owner);
          OwnerClient client = new OwnerClient(owner);
          load.reopen(client);
          while (!load.ended) {
            load.round(client);
          }
          owner.close();
        } catch (IOException | PliantException e) {
          disk = disk.afterPowerCut(random);
          crashes++;
        }
        assertThat(crashes).as("seed %d", seed).isLessThan(40);
      }
      verifyWhole(disk.afterPowerCut(random), "seed " + seed);
    }
  }

  @Test
  void goesOnFromAJournalThatIsCutAtAnyByte() throws IOException {
    ForgetfulDisk recorded = new ForgetfulDisk();
    SplittableRandom random = new SplittableRandom(5);
    Load load = new Load(random);
    try (JobOwner owner =
        JobOwner.start(JOB, store(recorded), NO_SNAPSHOT, InstantSource.system())) {
      create(owner);
      for (int i = 0; i < 8; i++) {
        load.round(new OwnerClient(owner));
      }
      recorded = recorded.copy();
    }
    String segment =
        recorded.list().stream().filter(n -> n.endsWith(".journal")).findFirst().orElseThrow();
    byte[] bytes = recorded.bytes(segment);
    int end = bytes.length;
    while (bytes[end - 1] == 0) {
      end--;
    }
    long before = 0;
    for (int cut = 0; cut <= end; cut++) {
      ForgetfulDisk disk = recorded.copy();
      disk.setBytes(segment, java.util.Arrays.copyOf(bytes, cut));
      JournalStore store = store(disk);
      long events = JobRecovery.recover(store, JOB).events();
      assertThat(events).as("cut at byte %d", cut).isGreaterThanOrEqualTo(before);
      before = events;
    }
    assertThat(before).isGreaterThan(30);
  }

  @Test
  void refusesAJournalThatIsDamagedInItsMiddleAndSaysWhere() throws IOException {
    ForgetfulDisk recorded = new ForgetfulDisk();
    Load load = new Load(new SplittableRandom(6));
    try (JobOwner owner =
        JobOwner.start(JOB, store(recorded), NO_SNAPSHOT, InstantSource.system())) {
      create(owner);
      for (int i = 0; i < 10; i++) {
        load.round(new OwnerClient(owner));
      }
      recorded = recorded.copy();
    }
    String segment =
        recorded.list().stream().filter(n -> n.endsWith(".journal")).findFirst().orElseThrow();
    byte[] bytes = recorded.bytes(segment);
    int last = lastFrame(bytes);
    assertThat(last).isGreaterThan(400);
    for (int at = 0; at < last; at++) {
      ErrorCode want = at == VERSION_BYTE ? ErrorCode.JOURNAL_VERSION : ErrorCode.DAMAGED_JOURNAL;
      ForgetfulDisk disk = recorded.copy();
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x10;
      disk.setBytes(segment, damaged);
      assertThatThrownBy(() -> JobRecovery.recover(store(disk), JOB))
          .as("byte %d", at)
          .isInstanceOfSatisfying(PliantException.class, e -> assertThat(e.code()).isEqualTo(want))
          .hasMessageContaining(at == VERSION_BYTE ? "version 19" : "byte")
          .hasMessageContaining(segment);
    }
  }

  /// Where the last frame of a segment begins: whatever lies before it is followed by a whole
  /// frame.
  private static int lastFrame(byte[] segment) {
    java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(segment);
    int last = 8;
    for (int at = 8; bytes.getInt(at) > 0; at += 8 + bytes.getInt(at)) {
      last = at;
    }
    return last;
  }

  @Test
  void stopsWritingOnAFullDiskAndGoesOnWhenThereIsRoom() throws Exception {
    ForgetfulDisk disk = new ForgetfulDisk();
    Load load = new Load(new SplittableRandom(7));
    try (JobOwner owner = start(disk)) {
      OwnerClient client = new OwnerClient(owner);
      create(owner);
      load.round(client);
      disk.limit(disk.used());
      assertThatThrownBy(
              () -> {
                while (true) {
                  load.round(client);
                }
              })
          .isInstanceOfSatisfying(
              PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.JOURNAL_STALLED))
          .hasMessageContaining("No space left on device");
      assertThat(owner.trouble()).contains("No space left");
      assertThat(client.ask(new Command.GetJob(), Answer.Job.class).datasets()).hasSize(1);
      disk.limit(Long.MAX_VALUE);
      awaitNoTrouble(owner, client);
      load.reopen(client);
      while (!load.ended) {
        load.round(client);
      }
    }
    verifyWhole(disk, "full disk");
  }

  private static void awaitNoTrouble(JobOwner owner, OwnerClient client) {
    long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!owner.trouble().isEmpty()) {
      assertThat(System.nanoTime()).as("still stalled").isLessThan(until);
      client.ask(new Command.GetJob(), Answer.Job.class);
    }
  }

  /// The older master claims first, is held up, and goes on when the newer one serves already.
  @Test
  void whatAFencedMasterWritesLateHidesNothing() throws Exception {
    ForgetfulDisk disk = new ForgetfulDisk();
    Load load = new Load(new SplittableRandom(9));
    try (JobOwner first = start(disk)) {
      create(first);
      load.round(new OwnerClient(first));
    }
    JournalStore old = store(disk);
    old.claim();
    try (JobOwner young = start(disk)) {
      OwnerClient client = new OwnerClient(young);
      load.round(client);
      long events = JobRecovery.recover(store(disk), JOB).events();
      assertThatThrownBy(() -> old.begin(events + 1)).hasMessageContaining("newer master");
      // As if it had made its segment before it was fenced.
      disk.setBytes("%016d-%08d.journal".formatted(events + 1, young.epoch() - 1), new byte[0]);
      while (!load.ended) {
        load.round(client);
      }
    }
    verifyWhole(disk, "a late segment");
  }

  @Test
  void missesAFirstSegmentThatIsGone() throws Exception {
    ForgetfulDisk disk = new ForgetfulDisk();
    for (int i = 0; i < 2; i++) {
      try (JobOwner owner = JobOwner.start(JOB, store(disk), NO_SNAPSHOT, InstantSource.system())) {
        create(owner);
      }
    }
    for (String name : disk.list()) {
      if (name.endsWith(".snapshot") || name.endsWith("-00000001.journal")) {
        disk.delete(name);
      }
    }
    assertThatThrownBy(() -> JobRecovery.recover(store(disk), JOB))
        .hasMessageContaining("are missing");
  }

  @Test
  void anOlderMasterIsFencedByANewerOne() throws Exception {
    ForgetfulDisk disk = new ForgetfulDisk();
    try (JobOwner old = start(disk)) {
      create(old);
      Load load = new Load(new SplittableRandom(8));
      load.round(new OwnerClient(old));
      try (JobOwner young = start(disk)) {
        assertThat(young.epoch()).isGreaterThan(old.epoch());
        assertThatThrownBy(() -> load.round(new OwnerClient(old)))
            .isInstanceOfSatisfying(
                PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED));
        assertThat(old.awaitEnd()).isNotNull();
        OwnerClient client = new OwnerClient(young);
        load.reopen(client);
        while (!load.ended) {
          load.round(client);
        }
      }
    }
    verifyWhole(disk, "fenced");
  }
}

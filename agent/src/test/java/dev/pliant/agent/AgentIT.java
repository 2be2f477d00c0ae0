package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.rpc.MasterLocation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The agent between real sockets: scripts on one side, a master on loopback on the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AgentIT {
  /// Quick in what tests wait for; what only a fault uses up is long enough for a busy machine.
  static final AgentTiming QUICK =
      new AgentTiming(
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(5),
          Duration.ofSeconds(3),
          Duration.ofMillis(100),
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(20),
          Duration.ofSeconds(10));

  @TempDir Path folder;
  private FakeMaster master;
  private Agent agent;

  @BeforeEach
  void start() throws IOException {
    master = new FakeMaster(folder, null);
    agent = start(QUICK);
  }

  @AfterEach
  void stop() throws InterruptedException {
    agent.close();
    master.close();
  }

  private Agent start(AgentTiming timing) {
    return Agent.start(config(8), timing, circumstances());
  }

  static Agent.Circumstances circumstances() {
    return new Agent.Circumstances(
        System::nanoTime, InstantSource.system(), new SplittableRandom(1));
  }

  private AgentConfig config(int leaseAhead) {
    return new AgentConfig(
        new JobId("default", "test"),
        "node",
        new MasterLocation.MasterFile(folder),
        folder.resolve("run/agent.sock"),
        leaseAhead,
        Optional.empty());
  }

  private ScriptClient connect(String worker) throws IOException {
    return ScriptClient.connect(agent.socket(), worker);
  }

  /// Trains to the end; returns the numbers of the shards it was given.
  private static List<Long> train(ScriptClient script, Runnable each) throws IOException {
    List<Long> trained = new ArrayList<>();
    while (true) {
      JsonObject next = script.next("train");
      assertThat(next.flag("ok", false)).as("%s", next.fields()).isTrue();
      assertThat(next.has("refused")).isFalse();
      switch (next.text("state")) {
        case "shard" -> {
          trained.add(next.object("shard").number("number"));
          each.run();
          assertThat(script.report("train", next.object("shard"), "done").flag("ok", false))
              .isTrue();
        }
        case "wait" -> {}
        case "end" -> {
          return trained;
        }
        default -> throw new AssertionError(next.text("state"));
      }
    }
  }

  private void assertEachDoneOnce(int shards) {
    Map<Long, Integer> once =
        LongStream.range(0, shards).boxed().collect(Collectors.toMap(n -> n, _ -> 1));
    assertThat(master.ledger().done("train")).isEqualTo(once);
  }

  @Test
  void trainsADatasetToItsEndAndSaysSo() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      assertThat(script.createTable("train", 1_000, 10).flag("created", false)).isTrue();
      assertThat(script.createTable("train", 1_000, 10).flag("created", true)).isFalse();
      assertThat(train(script, () -> {})).hasSize(100).doesNotHaveDuplicates();
      assertThat(script.flush("train").text("state")).isEqualTo("flushed");
      assertThat(script.bye("done").flag("ok", false)).isTrue();
    }
    assertEachDoneOnce(100);
    await().until(() -> !master.ledger().ends().isEmpty());
    assertThat(master.ledger().ends())
        .extracting(EndWorkerRequest::getWorker, EndWorkerRequest::getReason)
        .containsExactly(tuple("w", ExitReason.EXIT_REASON_UNSPECIFIED));
  }

  @Test
  void waitsForAMasterThatIsNotThereYet() throws Exception {
    try (ScriptClient script = connect("w")) {
      script.send(
          "\"op\":\"dataset\",\"spec\":{\"name\":\"train\",\"kind\":\"table\",\"size\":5,\"shard_size\":1}");
      master.start();
      assertThat(script.receive().flag("created", false)).isTrue();
      assertThat(train(script, () -> {})).hasSize(5);
    }
  }

  @Test
  void loopDoesNotNoticeThatTheMasterIsStartedAgainElsewhere() throws Exception {
    master.start();
    AtomicInteger trained = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<Long>>> workers = new ArrayList<>();
      try (ScriptClient first = connect("setup")) {
        first.createTable("train", 1_500, 1);
        first.bye("done");
      }
      for (int i = 0; i < 3; i++) {
        ScriptClient script = connect("w" + i);
        workers.add(
            threads.submit(() -> train(script, () -> restartAt(trained.incrementAndGet()))));
      }
      List<Long> all = new ArrayList<>();
      for (Future<List<Long>> worker : workers) {
        all.addAll(worker.get());
      }
      assertThat(all).hasSize(1_500).doesNotHaveDuplicates();
    }
    assertThat(master.epoch()).isEqualTo(11);
    assertEachDoneOnce(1_500);
  }

  /// Starts the master again at every 150th shard, with an answer under way; the other workers go
  /// on meanwhile.
  private void restartAt(int trained) {
    if (trained % 150 == 0) {
      master.loseAnswers(1);
      try {
        master.restart();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void reportsSurviveAnswersThatAreLost() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 100, 1);
      AtomicInteger trained = new AtomicInteger();
      train(
          script,
          () -> {
            if (trained.incrementAndGet() % 10 == 0) {
              master.loseAnswers(2);
            }
          });
    }
    assertEachDoneOnce(100);
  }

  @Test
  void goesOnAfterAMasterThatHadTooMuchToDo() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 20, 1);
      master.turnAway(5);
      assertThat(train(script, () -> {})).hasSize(20);
    }
    assertThat(master.left()).isZero();
    assertEachDoneOnce(20);
  }

  @Test
  void shardsNeverHandedOutGoBackWhenAConnectionBreaks() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 100, 1);
      for (int i = 0; i < 3; i++) {
        script.report("train", script.next("train").object("shard"), "done");
      }
      script.next("train");
      await().until(() -> master.ledger().outOf("w") > 1);
    }
    await().until(() -> !master.ledger().ends().isEmpty());
    EndWorkerRequest end = master.ledger().ends().getFirst();
    assertThat(end.getReason()).isEqualTo(ExitReason.EXIT_REASON_KILLED);
    assertThat(master.ledger().returned("train")).isPositive();
    assertThat(master.ledger().outOf("w")).isZero();
    assertThat(master.ledger().waiting("train")).isEqualTo(97);
    assertThat(master.ledger().done("train")).hasSize(3);
  }

  @Test
  void aWorkerComesBackUnderItsNameAfterItsEndWasSaid() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 50, 1);
      script.next("train");
      master.stop();
    }
    try (ScriptClient again = connect("w")) {
      again.send("\"op\":\"next\",\"dataset\":\"train\"");
      master.start();
      JsonObject next = again.receive();
      if (next.text("state").equals("shard")) {
        again.report("train", next.object("shard"), "done");
      }
      train(again, () -> {});
      again.bye("error");
    }
    assertEachDoneOnce(50);
    await().until(() -> master.ledger().ends().size() == 2);
    assertThat(master.ledger().ends())
        .extracting(EndWorkerRequest::getReason)
        .containsExactly(ExitReason.EXIT_REASON_KILLED, ExitReason.EXIT_REASON_FATAL_ERROR);
    assertThat(master.ledger().ends().getLast().getMessage()).isEqualTo("as the test wants it");
  }

  @Test
  void severalConnectionsOfAWorkerShareItAndEndWithTheLast() throws Exception {
    master.start();
    try (ScriptClient main = connect("w")) {
      main.createTable("train", 10, 1);
      try (ScriptClient loader = connect("w")) {
        loader.next("train");
      }
      assertThat(train(main, () -> {})).hasSize(10).doesNotHaveDuplicates();
      assertThat(master.ledger().ends()).isEmpty();
      main.bye("done");
    }
    await().until(() -> master.ledger().ends().size() == 1);
    assertEachDoneOnce(10);
  }

  @Test
  void lateReportIsPassedOnAsRefused() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 10, 1);
      JsonObject shard = script.next("train").object("shard");
      master.ledger().giveUp("w");
      script.report("train", shard, "done");
      JsonObject flushed = script.flush("train");
      assertThat(flushed.text("state")).isEqualTo("flushed");
      assertThat(flushed.objects("refused", 10)).hasSize(1);
      assertThat(flushed.objects("refused", 10).getFirst().number("number"))
          .isEqualTo(shard.number("number"));
      await().until(() -> master.ledger().beating().contains("w"));
      assertThat(train(script, () -> {})).contains(shard.number("number"));
    }
    assertEachDoneOnce(10);
  }

  @Test
  void leasesFromBeforeARestoreAreNotHandedOut() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 30, 1);
      script.report("train", script.next("train").object("shard"), "done");
      JsonObject checkpoint = script.ask("\"op\":\"checkpoint\"");
      assertThat(checkpoint.number("number")).as("reports before it are in it").isEqualTo(1);
      JsonObject ledger = checkpoint.object("ledger");
      JsonObject restored =
          script.ask(
              "\"op\":\"restore\",\"ledger\":{\"job\":\"%s\",\"number\":%d,\"uid\":\"%s\",\"run\":%d,\"lineage\":%d,\"crc32c\":%d,\"ledgers\":\"%s\"}",
              ledger.text("job"),
              ledger.number("number"),
              ledger.text("uid"),
              ledger.number("run"),
              ledger.number("lineage"),
              ledger.number("crc32c"),
              ledger.text("ledgers"));
      assertThat(restored.number("lineage")).isEqualTo(1);
      assertThat(train(script, () -> {})).hasSize(29);
    }
    assertEachDoneOnce(30);
  }

  @Test
  void errorsOfTheMasterReachTheProcessAndDoNotStick() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      assertThat(ScriptClient.error(script.next("train")))
          .isEqualTo("UNKNOWN_DATASET: there is no dataset 'train'.");
      assertThat(ScriptClient.error(script.ask("\"op\":\"progress\",\"dataset\":\"x\"")))
          .startsWith("UNKNOWN_DATASET");
      script.createTable("train", 1, 1);
      JsonObject next = script.next("train");
      assertThat(next.text("state")).isEqualTo("shard");
      script.report("train", next.object("shard"), "failed");
      JsonObject failed = script.next("train");
      assertThat(failed.text("state")).isEqualTo("failed");
      assertThat(failed.object("failure").text("worker")).isEqualTo("w");
    }
  }

  @Test
  void nextSaysWaitInsteadOfWaitingLong() throws Exception {
    master.start();
    try (ScriptClient one = connect("one");
        ScriptClient two = connect("two")) {
      one.createTable("train", 1, 1);
      JsonObject shard = one.next("train").object("shard");
      assertThat(two.next("train").text("state")).isEqualTo("wait");
      one.report("train", shard, "done");
      assertThat(two.next("train").text("state")).isEqualTo("end");
    }
  }

  @Test
  void unknownLeaseIsRefusedByTheAgentItself() throws Exception {
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 10, 1);
      JsonObject shard = script.next("train").object("shard");
      assertThat(
              ScriptClient.error(
                  script.ask(
                      "\"op\":\"report\",\"dataset\":\"train\",\"reports\":[{\"number\":77,\"lease\":1,\"fate\":\"done\"}]")))
          .startsWith("UNKNOWN_LEASE");
      script.report("train", shard, "done");
      assertThat(script.report("train", shard, "done").flag("ok", false)).isTrue();
    }
  }

  @Test
  void closingDeliversReportsAndGivesBackTheRest() throws Exception {
    master.start();
    ScriptClient script = connect("w");
    script.createTable("train", 100, 1);
    for (int i = 0; i < 5; i++) {
      script.report("train", script.next("train").object("shard"), "done");
    }
    agent.close();
    assertThat(master.ledger().done("train")).hasSize(5);
    assertThat(master.ledger().outOf("w")).isZero();
    assertThat(master.ledger().ends()).hasSize(1);
    assertThat(agent.socket()).doesNotExist();
    script.close();
  }

  @Test
  void closingIsBoundedWhenTheMasterIsGone() throws Exception {
    agent.close();
    AgentTiming hasty =
        new AgentTiming(
            QUICK.answerWithin(),
            QUICK.masterAway(),
            QUICK.silence(),
            QUICK.exitWithin(),
            QUICK.heartbeat(),
            QUICK.terminate(),
            QUICK.stopped(),
            QUICK.blame(),
            Duration.ofMillis(300));
    agent = start(hasty);
    master.start();
    try (ScriptClient script = connect("w")) {
      script.createTable("train", 10, 1);
      script.next("train");
      master.stop();
      agent.close();
    }
    assertThat(master.ledger().ends()).isEmpty();
  }

  @Test
  void processThatIsGivenUpOnAnUnaryCallEndsItsConnection() throws Exception {
    try (ScriptClient script = connect("w")) {
      script.send("\"op\":\"progress\",\"dataset\":\"train\"");
    }
    master.start();
    await().until(() -> !master.ledger().ends().isEmpty());
  }
}

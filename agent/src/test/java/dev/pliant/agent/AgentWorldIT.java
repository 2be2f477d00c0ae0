package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.Member;
import dev.pliant.rpc.MasterLocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Worlds and steps between real sockets: scripts on one side, a master on loopback on the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AgentWorldIT {
  @TempDir Path folder;
  private FakeMaster master;
  private Agent agent;

  @BeforeEach
  void start() throws IOException {
    master = new FakeMaster(folder, null).start();
    agent =
        Agent.start(
            new AgentConfig(
                new JobId("default", "test"),
                "node",
                new MasterLocation.MasterFile(folder),
                folder.resolve("run/agent.sock"),
                8,
                Optional.empty()),
            AgentIT.QUICK,
            AgentIT.circumstances());
  }

  @AfterEach
  void stop() throws InterruptedException {
    agent.close();
    master.close();
  }

  private ScriptClient connect(String worker) throws IOException {
    return ScriptClient.connect(agent.socket(), worker);
  }

  private static void askWorld(ScriptClient script, long after, boolean state) throws IOException {
    script.send(
        "\"op\":\"world\",\"after\":%d,\"holds_state\":%b,\"address\":\"127.0.0.1:5\"",
        after, state);
  }

  /// Two processes in world 1.
  private List<Member> formFirst(ScriptClient one, ScriptClient two) throws IOException {
    askWorld(one, 0, false);
    askWorld(two, 0, false);
    List<Member> members = master.meeting().awaitArrivals(2, 0);
    master.meeting().form(1, members);
    assertThat(one.receive().object("world").number("version")).isEqualTo(1);
    assertThat(two.receive().object("world").number("version")).isEqualTo(1);
    return members;
  }

  @Test
  void processesAreToldTheirWorldAndThatItEnds() throws Exception {
    try (ScriptClient one = connect("w1");
        ScriptClient two = connect("w2");
        ScriptClient watch = connect("w1")) {
      askWorld(one, 0, true);
      assertThat(one.receive().text("state")).as("within its bound").isEqualTo("wait");
      askWorld(one, 0, true);
      askWorld(two, 0, false);
      master.meeting().form(7, master.meeting().awaitArrivals(2, 0));
      JsonObject world = one.receive().object("world");
      JsonObject other = two.receive().object("world");
      assertThat(List.of(world.number("rank"), other.number("rank")))
          .containsExactlyInAnyOrder(0L, 1L);
      assertThat(world.number("local_rank")).isEqualTo(world.number("rank"));
      assertThat(world.number("local_size")).isEqualTo(2);
      assertThat(world.number("max_size")).isEqualTo(8);

      watch.send("\"op\":\"watch\",\"world\":7,\"seen\":0");
      master.meeting().reform(7, false);
      JsonObject reform = watch.receive();
      assertThat(reform.text("state")).isEqualTo("reform");
      assertThat(reform.flag("abort", true)).isFalse();
      watch.send("\"op\":\"watch\",\"world\":7,\"seen\":1");
      master.meeting().reform(7, true);
      assertThat(watch.receive().flag("abort", false)).isTrue();
    }
  }

  @Test
  void aProcessThatAsksAgainIsToldTheSame() throws Exception {
    try (ScriptClient one = connect("w1");
        ScriptClient two = connect("w2")) {
      formFirst(one, two);
      int said = master.meeting().words().size();
      askWorld(one, 0, false);
      assertThat(one.receive().object("world").number("version")).isEqualTo(1);
      assertThat(master.meeting().words()).hasSize(said);
    }
  }

  @Test
  void aNewMasterIsToldWhatEachDoesNow() throws Exception {
    try (ScriptClient one = connect("w1");
        ScriptClient two = connect("w2")) {
      formFirst(one, two);
      askWorld(two, 1, true);
      master.meeting().awaitArrivals(1, 1);
      int said = master.meeting().words().size();
      master.restart();
      MeetRequest open = master.meeting().await(said, MeetRequest::hasOpen);
      assertThat(open.getOpen().getNode()).isEqualTo("node");
      Member first = open.getOpen().getMembers(0);
      Member second = open.getOpen().getMembers(1);
      assertThat(List.of(first.getWorker(), second.getWorker())).contains("w1", "w2");
      Member inside = first.getWorker().equals("w1") ? first : second;
      Member waiting = first.getWorker().equals("w1") ? second : first;
      assertThat(inside.getWorld()).isEqualTo(1);
      assertThat(waiting.getWorld()).isZero();
      assertThat(waiting.getAfter()).isEqualTo(1);
      assertThat(waiting.getHoldsState()).isTrue();
      master.meeting().form(2, List.of(waiting));
      JsonObject answer = two.receive();
      while (answer.text("state").equals("wait")) {
        askWorld(two, 1, true);
        answer = two.receive();
      }
      assertThat(answer.object("world").number("version")).isEqualTo(2);
    }
  }

  @Test
  void aProcessThatWasGivenUpMayBeginAgainAsAnother() throws Exception {
    try (ScriptClient one = connect("w1");
        ScriptClient two = connect("w2")) {
      List<Member> members = formFirst(one, two);
      Member mine =
          members.stream().filter(m -> m.getWorker().equals("w1")).findFirst().orElseThrow();
      askWorld(one, 1, true);
      master.meeting().awaitArrivals(1, 1);
      master.meeting().exclude(mine, false);
      assertThat(one.receive().text("state")).isEqualTo("excluded");
      int said = master.meeting().words().size();
      askWorld(one, 0, false);
      Member again = master.meeting().await(said, MeetRequest::hasArrive).getArrive().getMembers(0);
      assertThat(again.getIncarnation()).isGreaterThan(mine.getIncarnation());
      master.meeting().close(true);
      JsonObject closed = one.receive();
      assertThat(closed.text("state")).isEqualTo("closed");
      assertThat(closed.flag("complete", false)).isTrue();
    }
  }

  @Test
  void theEndOfAProcessIsSaidWithItsReason() throws Exception {
    try (ScriptClient one = connect("w1")) {
      try (ScriptClient two = connect("w2")) {
        formFirst(one, two);
        two.bye("done");
      }
      MeetRequest leave = master.meeting().await(0, MeetRequest::hasLeave);
      assertThat(leave.getLeave().getWorker()).isEqualTo("w2");
      assertThat(leave.getLeave().getReason()).isEqualTo(ExitReason.EXIT_REASON_UNSPECIFIED);
    }
    MeetRequest lost = master.meeting().await(0, word -> word.getLeave().getWorker().equals("w1"));
    assertThat(lost.getLeave().getReason()).isEqualTo(ExitReason.EXIT_REASON_KILLED);
  }

  @Test
  void stepsAreDeliveredBehindAndSettled() throws Exception {
    try (ScriptClient one = connect("w1")) {
      for (int step = 0; step < 200; step++) {
        assertThat(
                one.ask(
                        "\"op\":\"stepped\",\"dataset\":\"d\",\"epoch\":0,\"step\":%d,\"world\":3,\"metrics\":{\"loss\":%d.5}",
                        step, step)
                    .flag("ok", false))
            .isTrue();
        if (step == 100) {
          master.restart();
        }
      }
      JsonObject settled = one.ask("\"op\":\"settle\",\"dataset\":\"d\"");
      assertThat(settled.text("state")).isEqualTo("settled");
      assertThat(settled.number("next_step")).isEqualTo(200);
    }
    assertThat(master.steps().commits()).hasSizeLessThan(100).allMatch(c -> c.getThrough());
    assertThat(master.steps().commits().getLast().getMetricsMap()).containsEntry("loss", 199.5);
  }

  @Test
  void stepsOfAnOldWorldAreDropped() throws Exception {
    master.steps().fence(5);
    try (ScriptClient one = connect("w1")) {
      one.ask("\"op\":\"stepped\",\"dataset\":\"d\",\"epoch\":0,\"step\":9,\"world\":4");
      await().until(() -> !master.steps().commits().isEmpty());
      one.ask("\"op\":\"stepped\",\"dataset\":\"d\",\"epoch\":0,\"step\":3,\"world\":5");
      assertThat(one.ask("\"op\":\"settle\",\"dataset\":\"d\"").number("next_step")).isEqualTo(4);
    }
  }

  @Test
  void activitiesAreKnownByTheirNames() throws Exception {
    try (ScriptClient one = connect("w1")) {
      assertThat(one.ask("\"op\":\"activity\",\"name\":\"train\"").flag("ok", false)).isTrue();
      assertThat(ScriptClient.error(one.ask("\"op\":\"activity\",\"name\":\"trian\"")))
          .contains("start, wait, sync, train, checkpoint");
    }
  }
}

package dev.pliant.master.platform;

import static dev.pliant.master.platform.ScalerContract.BOUND;
import static dev.pliant.master.platform.ScalerContract.desired;
import static dev.pliant.master.platform.ScalerContract.leaving;
import static dev.pliant.master.platform.ScalerContract.node;
import static dev.pliant.master.platform.ScalerContract.running;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.ExitReason;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every [NodeWatcher] keeps, tried against each of them.
public abstract class NodeWatcherContract {
  protected abstract ScalerContract.World world() throws IOException;

  @SuppressWarnings("NullAway.Init") // made before each test
  private ScalerContract.World world;

  private final List<NodeNews> told = new CopyOnWriteArrayList<>();

  @BeforeEach
  void makeAWorld() throws IOException {
    world = world();
  }

  @AfterEach
  void endTheWorld() throws IOException {
    world.close();
  }

  private Platform.Opened open() throws IOException {
    Platform.Opened platform = world.open(() -> true);
    platform.watcher().watch(told::add);
    return platform;
  }

  private void awaitTold(NodeNews news) {
    await().atMost(BOUND).untilAsserted(() -> assertThat(told).contains(news));
  }

  private NodeNews.Ended awaitEnd(int number) {
    return await()
        .atMost(BOUND)
        .until(
            () ->
                told.stream()
                    .filter(news -> news instanceof NodeNews.Ended)
                    .map(news -> (NodeNews.Ended) news)
                    .filter(ended -> ended.node().equals(node(number)))
                    .findFirst()
                    .orElse(null),
            ended -> ended != null);
  }

  @Test
  void tellsThatANodeIsPendingAndThenRuns() throws IOException {
    try (Platform.Opened platform = open()) {
      assertThat(platform.watcher().list()).isEmpty();
      platform.scaler().scale(running(0));

      awaitTold(new NodeNews.Running(node(0)));
      assertThat(told)
          .containsExactly(new NodeNews.Pending(node(0), ""), new NodeNews.Running(node(0)));
      assertThat(platform.watcher().list()).containsExactly(new NodeNews.Running(node(0)));
    }
  }

  @Test
  void tellsACrashAsAKill() throws IOException {
    try (Platform.Opened platform = open()) {
      platform.scaler().scale(running(0));
      awaitTold(new NodeNews.Running(node(0)));

      world.crash(node(0));

      NodeNews.Ended ended = awaitEnd(0);
      assertThat(ended.reason()).isEqualTo(ExitReason.KILLED);
      assertThat(platform.watcher().list()).containsExactly(ended);
    }
  }

  @Test
  void tellsTheEndOfOneThatWasToldToGo() throws IOException {
    try (Platform.Opened platform = open()) {
      platform.scaler().scale(running(0));
      awaitTold(new NodeNews.Running(node(0)));

      platform.scaler().scale(desired(leaving(0)));

      assertThat(awaitEnd(0).reason()).isEqualTo(ExitReason.KILLED);
    }
  }

  @Test
  void tellsTheEndOfOneThatWasNeverStarted() throws IOException {
    try (Platform.Opened platform = open()) {
      platform.scaler().scale(desired(leaving(3)));

      assertThat(awaitEnd(3).reason()).isEqualTo(ExitReason.KILLED);
    }
  }

  @Test
  void eachEndIsToldOnce() throws IOException {
    try (Platform.Opened platform = open()) {
      platform.scaler().scale(running(0, 1));
      awaitTold(new NodeNews.Running(node(0)));
      awaitTold(new NodeNews.Running(node(1)));
      world.crash(node(0));
      awaitEnd(0);
      world.crash(node(1));
      awaitEnd(1);

      assertThat(told.stream().filter(news -> news instanceof NodeNews.Ended)).hasSize(2);
    }
  }

  @Test
  void anotherWatcherFindsTheSameNodesAndHearsTheirEnds() throws IOException {
    try (Platform.Opened first = open()) {
      first.scaler().scale(running(0, 1));
      awaitTold(new NodeNews.Running(node(0)));
      awaitTold(new NodeNews.Running(node(1)));
    }
    world.crash(node(0));
    told.clear();
    try (Platform.Opened second = open()) {
      List<NodeNews> listed = second.watcher().list();
      assertThat(listed).hasSize(2);
      assertThat(listed).contains(new NodeNews.Running(node(1)));
      assertThat(listed)
          .anyMatch(news -> news instanceof NodeNews.Ended ended && ended.node().equals(node(0)));

      world.crash(node(1));
      assertThat(awaitEnd(1).reason()).isEqualTo(ExitReason.KILLED);
    }
  }
}

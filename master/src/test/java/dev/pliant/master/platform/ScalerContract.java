package dev.pliant.master.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What every [Scaler] keeps, tried against each of them.
public abstract class ScalerContract {
  protected static final Duration BOUND = Duration.ofSeconds(60);

  /// A platform in a world of its own, as a test sees it from outside.
  public interface World extends AutoCloseable {
    /// Opens the platform, as each master does; nodes of those before it are found.
    ///
    /// @param current whether that master's word counts
    Platform.Opened open(BooleanSupplier current) throws IOException;

    /// The nodes that there are now, in any order.
    List<NodeId> alive() throws IOException;

    /// How often a node was ever started.
    long starts(NodeId node) throws IOException;

    /// Ends a node from outside, as a crash would; on return it is gone.
    void crash(NodeId node) throws IOException;

    /// Ends whatever is left.
    @Override
    void close() throws IOException;
  }

  /// @param stubborn whether its nodes ignore that they are told to go
  protected abstract World world(boolean stubborn) throws IOException;

  private @Nullable World made;

  @AfterEach
  void endTheWorld() throws IOException {
    if (made != null) {
      made.close();
    }
  }

  private World world() {
    return Objects.requireNonNull(made, "nothing was opened");
  }

  private Platform.Opened open(boolean stubborn) throws IOException {
    made = world(stubborn);
    return made.open(() -> true);
  }

  static NodeId node(int number) {
    return new NodeId(NodeId.WORKER, number);
  }

  static DesiredNodes desired(DesiredNode... nodes) {
    return new DesiredNodes(true, List.of(nodes), JobStanding.NONE);
  }

  static DesiredNodes running(int... numbers) {
    return new DesiredNodes(
        true, Arrays.stream(numbers).mapToObj(ScalerContract::staying).toList(), JobStanding.NONE);
  }

  static DesiredNode staying(int number) {
    return new DesiredNode(node(number), NodeResources.UNBOUNDED, 0, number, false);
  }

  static DesiredNode leaving(int number) {
    return new DesiredNode(node(number), NodeResources.UNBOUNDED, 0, number, true);
  }

  private void awaitAlive(int... numbers) {
    List<NodeId> wanted = Arrays.stream(numbers).mapToObj(ScalerContract::node).toList();
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> assertThat(world().alive()).containsExactlyInAnyOrderElementsOf(wanted));
  }

  @Test
  void makesWhatThereIsWhatIsDesired() throws IOException {
    try (Platform.Opened platform = open(false)) {
      platform.scaler().scale(running(0, 1));
      awaitAlive(0, 1);
      platform.scaler().scale(running(0, 1, 2));
      awaitAlive(0, 1, 2);
      platform.scaler().scale(desired(staying(0), leaving(1), staying(2)));
      awaitAlive(0, 2);
    }
  }

  @Test
  void startsANodeOnceHoweverOftenItIsTold() throws IOException {
    try (Platform.Opened platform = open(false)) {
      for (int i = 0; i < 20; i++) {
        platform.scaler().scale(running(0));
      }
      awaitAlive(0);
      platform.scaler().scale(running(0, 1));
      awaitAlive(0, 1);

      assertThat(world().starts(node(0))).isEqualTo(1);
    }
  }

  @Test
  void aNodeThatHasEndedIsNotStartedAgain() throws IOException {
    try (Platform.Opened platform = open(false)) {
      platform.scaler().scale(running(0));
      awaitAlive(0);
      world().crash(node(0));
      awaitAlive();
      platform.scaler().scale(running(0, 1));
      awaitAlive(1);

      assertThat(world().starts(node(0))).isEqualTo(1);
    }
  }

  @Test
  void whatIsNotDesiredIsKilledAtOnce() throws IOException {
    try (Platform.Opened platform = open(true)) {
      platform.scaler().scale(running(0, 1));
      awaitAlive(0, 1);
      platform.scaler().scale(running(1));
      awaitAlive(1);
    }
  }

  @Test
  void aNodeThatDoesNotGoWhenToldIsKilledAfterItsGrace() throws IOException {
    try (Platform.Opened platform = open(true)) {
      platform.scaler().scale(running(0));
      awaitAlive(0);
      platform.scaler().scale(desired(leaving(0)));
      awaitAlive();
    }
  }

  @Test
  void aNodeThatIsToGoBeforeItWasStartedNeverIs() throws IOException {
    try (Platform.Opened platform = open(false)) {
      platform.scaler().scale(desired(leaving(0), staying(1)));
      awaitAlive(1);
      platform.scaler().scale(running(0, 1, 2));
      awaitAlive(1, 2);

      assertThat(world().starts(node(0))).isZero();
    }
  }

  @Test
  void nodesOutliveTheirMasterAndTheNextStartsThemNotAgain() throws IOException {
    try (Platform.Opened first = open(false)) {
      first.scaler().scale(running(0, 1));
      awaitAlive(0, 1);
    }
    assertThat(world().alive()).hasSize(2);
    try (Platform.Opened second = world().open(() -> true)) {
      second.scaler().scale(running(0, 1, 2));
      awaitAlive(0, 1, 2);
      second.scaler().scale(desired(staying(0), leaving(1), leaving(2)));
      awaitAlive(0);
    }
    assertThat(Stream.of(0, 1, 2).mapToLong(this::startsOf)).containsOnly(1L);
  }

  private long startsOf(int number) {
    try {
      return world().starts(node(number));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aMasterWhoseWordNoLongerCountsDoesNothing() throws IOException {
    made = world(false);
    try (Platform.Opened old = world().open(() -> false);
        Platform.Opened current = world().open(() -> true)) {
      old.scaler().scale(running(7));
      current.scaler().scale(running(0));
      awaitAlive(0);
      old.scaler().scale(desired());
      current.scaler().scale(running(0, 1));
      awaitAlive(0, 1);
      assertThat(world().starts(node(7))).isZero();
    }
  }

  @Test
  void nothingIsDoneBeforeItIsTold() throws IOException {
    try (Platform.Opened first = open(false)) {
      first.scaler().scale(running(0));
      awaitAlive(0);
    }
    try (Platform.Opened second = world().open(() -> true)) {
      second.scaler().scale(DesiredNodes.UNDEFINED);
      assertThat(second.watcher().list()).hasSize(1);
      assertThat(world().alive()).containsExactly(node(0));
    }
  }
}

package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PodSearchTest {
  private static final NodeId NODE = new NodeId("worker", 0);

  private final PodSearch search = new PodSearch();

  private static DesiredNode node(int number, boolean leaving) {
    return new DesiredNode(
        new NodeId("worker", number), NodeResources.UNBOUNDED, 0, number, leaving);
  }

  private boolean isDue(List<DesiredNode> missing, long second) {
    return search.isDue(missing, TimeUnit.SECONDS.toNanos(second));
  }

  @Test
  void nobodyIsAskedWhereNothingIsSought() {
    assertThat(isDue(List.of(), 0)).isFalse();
    assertThat(isDue(List.of(), 100)).isFalse();
  }

  @Test
  void looksGrowRarerWhileNothingChanges() {
    List<Long> looks = new ArrayList<>();
    for (long second = 10; second < 40; second++) {
      if (isDue(List.of(node(0, false)), second)) {
        looks.add(second);
      }
    }

    assertThat(looks).containsExactly(10L, 11L, 13L, 17L, 22L, 27L, 32L, 37L);
  }

  @Test
  void whatIsSoughtNewlyIsLookedForAtOnce() {
    for (long second = 0; second <= 7; second++) {
      isDue(List.of(node(0, false)), second);
    }
    assertThat(isDue(List.of(node(0, false)), 8)).isFalse();

    assertThat(isDue(List.of(node(0, false), node(1, false)), 8)).isTrue();
    assertThat(isDue(List.of(node(0, true), node(1, false)), 8)).isTrue();
    search.doubt(NODE);
    assertThat(isDue(List.of(node(0, true), node(1, false)), 8)).isTrue();
    assertThat(isDue(List.of(node(0, true), node(1, false)), 8)).isFalse();
  }

  @Test
  void aPodIsInDoubtUntilThatIsSettled() {
    search.doubt(NODE);
    assertThat(search.doubted()).containsExactly(NODE);
    assertThat(isDue(List.of(), 0)).isTrue();
    assertThat(isDue(List.of(), 1)).isTrue();

    search.settle(NODE);

    assertThat(search.doubted()).isEmpty();
    assertThat(isDue(List.of(), 100)).isFalse();
  }
}

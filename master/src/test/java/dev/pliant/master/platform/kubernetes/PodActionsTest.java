package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.master.platform.kubernetes.PodActions.Life;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodActionsTest {
  private static NodeId node(int number) {
    return new NodeId("worker", number);
  }

  private static DesiredNode desired(int number, boolean leaving) {
    return new DesiredNode(node(number), NodeResources.UNBOUNDED, 0, number, leaving);
  }

  private static PodActions decide(
      List<DesiredNode> desired, Map<NodeId, Life> pods, Set<NodeId> made, Set<NodeId> gone) {
    return PodActions.decide(desired, pods, made, gone);
  }

  @Test
  void aNodeIsMadeOnceEver() {
    List<DesiredNode> two = List.of(desired(0, false), desired(1, false));

    assertThat(decide(two, Map.of(), Set.of(), Set.of()).create()).isEqualTo(two);
    assertThat(decide(two, Map.of(node(0), Life.ALIVE), Set.of(), Set.of()).create())
        .containsExactly(desired(1, false));
    assertThat(decide(two, Map.of(node(0), Life.ENDED), Set.of(node(0)), Set.of()).create())
        .containsExactly(desired(1, false));
    assertThat(decide(two, Map.of(), Set.of(node(0), node(1)), Set.of()).create()).isEmpty();
    assertThat(decide(two, Map.of(), Set.of(), Set.of(node(1))).create())
        .containsExactly(desired(0, false));
  }

  @Test
  void oneThatIsToGoIsRemovedOnceOrNeverMade() {
    List<DesiredNode> leaving = List.of(desired(0, true));

    assertThat(decide(leaving, Map.of(node(0), Life.ALIVE), Set.of(), Set.of()).remove())
        .containsExactly(node(0));
    assertThat(decide(leaving, Map.of(node(0), Life.LEAVING), Set.of(), Set.of()))
        .isEqualTo(new PodActions(List.of(), List.of(), List.of(), List.of()));
    assertThat(decide(leaving, Map.of(), Set.of(), Set.of()).prevent()).containsExactly(node(0));
    assertThat(decide(leaving, Map.of(), Set.of(node(0)), Set.of()).prevent()).isEmpty();
  }

  @Test
  void whatNobodyWantsIsKilledUnlessItHasEnded() {
    assertThat(
            decide(List.of(), Map.of(node(0), Life.ALIVE, node(1), Life.ENDED), Set.of(), Set.of())
                .kill())
        .containsExactly(node(0));
    assertThat(decide(List.of(), Map.of(node(0), Life.LEAVING), Set.of(), Set.of()).kill())
        .containsExactly(node(0));
  }
}

package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeBookTest {
  private static final NodeId NODE = new NodeId("worker", 0);
  private static final NodeNews PENDING = new NodeNews.Pending(NODE, "");
  private static final NodeNews RUNNING = new NodeNews.Running(NODE);
  private static final NodeNews ENDED = PodNews.vanished(NODE);

  private final NodeBook book = new NodeBook();
  private final List<NodeNews> told = new ArrayList<>();

  @Test
  void newsGoesForwardOnlyAndIsToldOnce() {
    book.watch(told::add);
    NodeNews stuck = new NodeNews.Pending(NODE, "no room");

    for (NodeNews news :
        List.of(PENDING, PENDING, stuck, RUNNING, PENDING, RUNNING, ENDED, RUNNING)) {
      book.heard(news);
    }
    book.heard(new NodeNews.Ended(NODE, 0, false, null, "another story"));

    assertThat(told).containsExactly(PENDING, stuck, RUNNING, ENDED);
    assertThat(book.all()).containsExactly(ENDED);
  }

  @Test
  void whatAListSaysIsNotToldAgainByTheWatch() {
    book.watch(told::add);

    assertThat(book.note(RUNNING)).isTrue();
    book.heard(PENDING);
    book.heard(RUNNING);

    assertThat(told).isEmpty();
    assertThat(book.alive()).containsExactly(NODE);
  }

  @Test
  void aNodeThatIsDesiredIsOpenUntilItsEndWasSeen() {
    DesiredNode desired = new DesiredNode(NODE, NodeResources.UNBOUNDED, 0, 0, true);
    book.desire(new DesiredNodes(true, List.of(desired), JobStanding.NONE));
    assertThat(book.open()).containsExactly(desired);
    assertThat(book.existed(NODE)).isFalse();

    book.exists(NODE);
    book.heard(ENDED);

    assertThat(book.open()).isEmpty();
    assertThat(book.existed(NODE)).isTrue();
  }
}

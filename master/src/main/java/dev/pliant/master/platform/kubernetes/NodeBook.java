package dev.pliant.master.platform.kubernetes;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What was last heard of each node, and told: news goes forward only, so that a list and a watch
/// that see the same pod at different times tell one story. What scalers desire is noted, because a
/// node that nobody has seen may still have to end.
final class NodeBook {
  /// How many nodes that ended are remembered.
  private static final int REMEMBERED = 2_000;

  private final LinkedHashMap<NodeId, NodeNews> last = new LinkedHashMap<>();
  private final Set<NodeId> real = new HashSet<>();
  private DesiredNodes desired = DesiredNodes.UNDEFINED;
  private @Nullable Consumer<NodeNews> listener;

  synchronized void watch(Consumer<NodeNews> news) {
    listener = news;
  }

  synchronized void desire(DesiredNodes wanted) {
    desired = wanted;
    forgetOldest();
  }

  /// Something was seen of a node: told, where it is news.
  synchronized void heard(NodeNews news) {
    if (note(news) && listener != null) {
      listener.accept(news);
    }
  }

  /// Something was listed of a node; whether it is news.
  synchronized boolean note(NodeNews news) {
    NodeNews before = last.get(news.node());
    if (before instanceof NodeNews.Ended
        || news.equals(before)
        || (before instanceof NodeNews.Running && news instanceof NodeNews.Pending)) {
      return false;
    }
    last.put(news.node(), news);
    return true;
  }

  /// All that is known.
  synchronized List<NodeNews> all() {
    return List.copyOf(last.values());
  }

  /// Nodes that were seen, and not to end.
  synchronized List<NodeId> alive() {
    return last.values().stream()
        .filter(news -> !(news instanceof NodeNews.Ended))
        .map(NodeNews::node)
        .toList();
  }

  synchronized boolean hasEnded(NodeId node) {
    return last.get(node) instanceof NodeNews.Ended;
  }

  /// The pod of a node is there, or was.
  synchronized void exists(NodeId node) {
    real.add(node);
  }

  synchronized boolean existed(NodeId node) {
    return real.contains(node);
  }

  /// Nodes that are desired, to run or to go, and of which no end was seen.
  synchronized List<DesiredNode> open() {
    return desired.nodes().stream().filter(node -> !hasEnded(node.id())).toList();
  }

  private void forgetOldest() {
    List<NodeId> old = new ArrayList<>();
    for (Map.Entry<NodeId, NodeNews> entry : last.entrySet()) {
      if (entry.getValue() instanceof NodeNews.Ended && !desired.contains(entry.getKey())) {
        old.add(entry.getKey());
      }
    }
    for (int i = 0; i < old.size() - REMEMBERED; i++) {
      last.remove(old.get(i));
      real.remove(old.get(i));
    }
  }
}

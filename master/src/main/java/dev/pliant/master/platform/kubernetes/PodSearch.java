package dev.pliant.master.platform.kubernetes;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.model.NodeId;
import dev.pliant.rpc.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// When the API server is asked for pods that the watch does not have. Two kinds are sought: those
/// of nodes that are desired, which may have come and gone unseen or may never come; and those *in
/// doubt*, which a list lacked that the watch began again with. Such a list may be older than what
/// was seen before, so that a pod is in doubt until it is seen again or an answer of its own says
/// that it is gone.
///
/// As soon as something else is sought it is looked for; while nothing changes, as with pods that
/// are refused, looks grow rarer.
final class PodSearch {
  private static final Backoff LOOKS = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(5));

  private record Sought(List<DesiredNode> missing, Set<NodeId> doubted) {
    static final Sought NOTHING = new Sought(List.of(), Set.of());
  }

  private final Set<NodeId> doubted = new TreeSet<>();
  private Sought last = Sought.NOTHING;
  private int looks;
  private long dueNanos;

  /// Nobody saw the pod of that node go, and a list lacked it.
  synchronized void doubt(NodeId node) {
    doubted.add(node);
  }

  /// Its pod was seen, or its end was told.
  synchronized void settle(NodeId node) {
    doubted.remove(node);
  }

  synchronized Set<NodeId> doubted() {
    return Set.copyOf(doubted);
  }

  /// Whether to look now; who is told so does.
  ///
  /// @param missing nodes that are desired, and whose pods the watch does not have
  synchronized boolean isDue(List<DesiredNode> missing, long nowNanos) {
    Sought sought = new Sought(List.copyOf(missing), Set.copyOf(doubted));
    if (!sought.equals(last)) {
      last = sought;
      looks = 0;
      dueNanos = nowNanos;
    }
    if (sought.equals(Sought.NOTHING) || nowNanos - dueNanos < 0) {
      return false;
    }
    looks++;
    dueNanos = nowNanos + LOOKS.after(looks).toNanos();
    return true;
  }
}

package dev.pliant.master.service;

import dev.pliant.machine.Outlook;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.master.owner.OutlookListener;
import dev.pliant.model.NodeId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The streams that are open, one a node, and what all of them are to say. A new outlook costs the
/// owner one task a network thread, however many streams there are.
final class MeetStreams implements OutlookListener {
  private static final Logger log = LoggerFactory.getLogger(MeetStreams.class);

  private final Map<NodeId, MeetStream> open = new ConcurrentHashMap<>();
  private final Map<Executor, Set<MeetStream>> byThread = new ConcurrentHashMap<>();
  private volatile Meeting meeting = Meeting.NONE;

  /// What agents are to know, as far as it is published.
  Meeting meeting() {
    return meeting;
  }

  /// Puts a stream in the place of the node's last. When this returns, the last takes no more.
  void opened(NodeId node, Executor network, MeetStream stream) {
    MeetStream before = open.put(node, stream);
    byThread.computeIfAbsent(network, _ -> ConcurrentHashMap.newKeySet()).add(stream);
    if (before != null) {
      before.replaced();
    }
  }

  void closed(NodeId node, Executor network, MeetStream stream) {
    open.remove(node, stream);
    Set<MeetStream> there = byThread.get(network);
    if (there != null) {
      there.remove(stream);
    }
  }

  @Override
  public void changed(Outlook outlook) {
    if (outlook.meeting().equals(meeting)) {
      return;
    }
    meeting = outlook.meeting();
    byThread.forEach((network, streams) -> {
      try {
        network.execute(() -> streams.forEach(MeetStream::tell));
      } catch (RejectedExecutionException e) {
        log.debug("{} agents are not told: {}", streams.size(), e.toString());
      }
    });
  }
}

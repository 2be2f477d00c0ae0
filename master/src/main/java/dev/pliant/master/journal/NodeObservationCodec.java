package dev.pliant.master.journal;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.NodeId;
import dev.pliant.protocol.journal.v1.NodeGone;
import dev.pliant.protocol.journal.v1.NodeObservation;
import dev.pliant.protocol.journal.v1.NodePending;
import dev.pliant.protocol.journal.v1.NodeRunning;

/// What a platform observes of nodes as the journal holds it, and back.
final class NodeObservationCodec {
  private NodeObservationCodec() {}

  static NodeObservation encode(NodeNews news) {
    NodeObservation.Builder encoded = NodeObservation.newBuilder().setNode(news.node().toString());
    switch (news) {
      case NodeNews.Pending(NodeId _, String message, boolean lacksRoom) ->
          encoded.setPending(NodePending.newBuilder().setMessage(message).setLacksRoom(lacksRoom));
      case NodeNews.Running _ -> encoded.setRunning(NodeRunning.getDefaultInstance());
      case NodeNews.Ended ended -> {
        NodeGone.Builder gone =
            NodeGone.newBuilder()
                .setCode(ended.code())
                .setOutOfMemory(ended.outOfMemory())
                .setMessage(ended.message());
        if (ended.said() != null) {
          gone.setReason(ProtoEnums.EXIT_REASON.encode(ended.said()));
        }
        encoded.setEnded(gone);
      }
    }
    return encoded.build();
  }

  static NodeNews decode(NodeObservation encoded) {
    NodeId node = NodeId.parse(encoded.getNode());
    return switch (encoded.getStateCase()) {
      case PENDING ->
          new NodeNews.Pending(
              node, encoded.getPending().getMessage(), encoded.getPending().getLacksRoom());
      case RUNNING -> new NodeNews.Running(node);
      case ENDED -> {
        NodeGone gone = encoded.getEnded();
        yield new NodeNews.Ended(
            node,
            gone.getCode(),
            gone.getOutOfMemory(),
            gone.hasReason() ? ProtoEnums.EXIT_REASON.decode(gone.getReason()) : null,
            gone.getMessage());
      }
      case STATE_NOT_SET -> throw JournalVersion.unknown("an observation of a kind");
    };
  }
}

package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import org.jspecify.annotations.Nullable;

/// A node of a job, from its decision to its end. A node that replaces another is of the same
/// *line*, and goes on with what that line has used up.
///
/// @param rank the place in its role that it fills: that of the node whose place it took
/// @param replaces the node whose place it took, or null
/// @param restarts how many failures of its line have used up restarts
/// @param streak how many nodes of its line before it went one after the other for a reason from
///   outside, without having lived for long
/// @param backoffMillis how long it was waited before this one was started
/// @param phase where it is in its life
/// @param released whether it was told to go
/// @param relaunchable whether its end is still to be judged: another may have to take its place
/// @param waitsOn whether it is pending for too long and nothing can be done about it
/// @param lacksRoom whether it is pending because nothing has room for one of its size
/// @param reason why it ended, where it has
/// @param message what it ended with, or why it does not start: for people
/// @param heardMillis when something was first heard of it; 0 where nothing was
public record Node(
    NodeId id,
    int rank,
    NodeResources resources,
    @Nullable NodeId replaces,
    int restarts,
    int streak,
    long backoffMillis,
    NodePhase phase,
    boolean released,
    boolean relaunchable,
    boolean waitsOn,
    boolean lacksRoom,
    ExitReason reason,
    String message,
    long createdMillis,
    long heardMillis,
    long startedMillis,
    long endedMillis) {

  static Node added(NodeEvent.NodeAdded event, int rank, long atMillis) {
    return new Node(
        event.node(),
        rank,
        event.resources(),
        event.replaces(),
        event.restarts(),
        event.streak(),
        event.backoffMillis(),
        NodePhase.INITIAL,
        false,
        true,
        false,
        false,
        ExitReason.SUCCEEDED,
        "",
        atMillis,
        0,
        0,
        0);
  }

  public boolean isOf(String role) {
    return id.role().equals(role);
  }

  /// Whether it is there or on its way, and is to stay.
  public boolean staying() {
    return !phase.ended() && !released;
  }

  /// Whether it failed and nobody has judged yet what is to be done about it.
  boolean awaitsJudgement() {
    return phase == NodePhase.FAILED && relaunchable;
  }

  Node moved(NodePhase to, String newMessage, boolean lacksRoomNow, long atMillis) {
    Change change = new Change(this);
    change.phase = to;
    change.message = newMessage;
    change.lacksRoom = lacksRoomNow;
    // Something can be done about a want of room, whatever it waited for before.
    change.waitsOn = waitsOn && (lacksRoom || !lacksRoomNow);
    if (heardMillis == 0) {
      change.heardMillis = atMillis;
    }
    if (to == NodePhase.RUNNING && startedMillis == 0) {
      change.startedMillis = atMillis;
    }
    return change.node();
  }

  Node ended(NodePhase to, ExitReason why, String newMessage, long atMillis) {
    Change change = new Change(this);
    change.phase = to;
    change.relaunchable = relaunchable && to == NodePhase.FAILED;
    change.reason = why;
    change.message = newMessage;
    change.endedMillis = atMillis;
    return change.node();
  }

  Node release() {
    Change change = new Change(this);
    change.released = true;
    change.relaunchable = false;
    return change.node();
  }

  Node judged() {
    Change change = new Change(this);
    change.relaunchable = false;
    return change.node();
  }

  Node waitingOn() {
    Change change = new Change(this);
    change.waitsOn = true;
    return change.node();
  }

  Node waitingNoMore() {
    Change change = new Change(this);
    change.waitsOn = false;
    return change.node();
  }

  /// The same node with another course of life; where it comes from never changes.
  private static final class Change {
    private final Node before;
    private NodePhase phase;
    private boolean released;
    private boolean relaunchable;
    private boolean waitsOn;
    private boolean lacksRoom;
    private ExitReason reason;
    private String message;
    private long heardMillis;
    private long startedMillis;
    private long endedMillis;

    Change(Node before) {
      this.before = before;
      phase = before.phase;
      released = before.released;
      relaunchable = before.relaunchable;
      waitsOn = before.waitsOn;
      lacksRoom = before.lacksRoom;
      reason = before.reason;
      message = before.message;
      heardMillis = before.heardMillis;
      startedMillis = before.startedMillis;
      endedMillis = before.endedMillis;
    }

    Node node() {
      return new Node(
          before.id,
          before.rank,
          before.resources,
          before.replaces,
          before.restarts,
          before.streak,
          before.backoffMillis,
          phase,
          released,
          relaunchable,
          waitsOn,
          lacksRoom,
          reason,
          message,
          before.createdMillis,
          heardMillis,
          startedMillis,
          endedMillis);
    }
  }
}

package dev.pliant.machine.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;

/// A node that is to take another one's place when its time has come.
///
/// @param of whose place
/// @param restarts what the line has then used up
/// @param streak how many of the line then went for a reason from outside, one after the other
/// @param backoffMillis how long it is waited
/// @param dueMillis when it is to be started
public record Relaunch(
    NodeId of,
    NodeResources resources,
    int restarts,
    int streak,
    long backoffMillis,
    long dueMillis) {

  /// A node that goes because the job rests: its line goes on as it was, as soon as the job does.
  static Relaunch afterRest(Node node) {
    return new Relaunch(
        node.id(), node.resources(), node.restarts(), node.streak(), node.backoffMillis(), 0);
  }
}

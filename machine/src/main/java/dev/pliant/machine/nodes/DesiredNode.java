package dev.pliant.machine.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;

/// A node as a platform is to have it. What runs and is desired by nobody ends at once.
///
/// @param restarts how many failures of its line have used up restarts
/// @param rank the place in its role that it fills, however often it was replaced
/// @param leaving whether it is told to go, in order and with its grace; else it is to run
public record DesiredNode(
    NodeId id, NodeResources resources, int restarts, int rank, boolean leaving) {}

package dev.pliant.autoscaling.cluster;

/// A node of a cluster.
///
/// @param capacity what its pods may have together
/// @param schedulable whether new pods may run on it: it is ready and not cordoned
public record ClusterNode(String name, PodAmounts capacity, boolean schedulable) {}

/// How jobs share a cluster: a snapshot of nodes, pods and jobs in; a size for each job out, with
/// its decision. Pure functions over values.
@NullMarked
package dev.pliant.autoscaling.cluster;

import org.jspecify.annotations.NullMarked;

/// What a job is on a cluster: the names, labels, pods and other objects that the operator and a
/// master agree on. Pure: nothing here talks to a cluster.
@NullMarked
package dev.pliant.kubernetes;

import org.jspecify.annotations.NullMarked;

/// Nodes as pods of a cluster. What decides here is pure: a pod's news ([PodNews]), the master's
/// plan ([MasterPlan]), what a user's object wishes ([WishReader]), which pods to make and remove
/// ([PodActions]). [JobApi] alone talks to the API server; whatever it cannot do now is done again
/// with a bounded back-off, for as long as it takes.
@NullMarked
package dev.pliant.master.platform.kubernetes;

import org.jspecify.annotations.NullMarked;

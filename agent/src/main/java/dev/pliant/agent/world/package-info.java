/// The node's end of the rendezvous: which worlds its training processes are in, and the one stream
/// on which the master is told of them and pushes the next.
@NullMarked
package dev.pliant.agent.world;

import org.jspecify.annotations.NullMarked;

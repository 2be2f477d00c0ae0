/// Nodes as processes of this machine: each one an agent in a session of its own, which outlives
/// the master that started it and is found again by the next.
@NullMarked
package dev.pliant.master.platform.local;

import org.jspecify.annotations.NullMarked;

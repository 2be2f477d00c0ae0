/// The life of a node: when its training processes are started and ended, and what it ends with.
@NullMarked
package dev.pliant.agent.node;

import org.jspecify.annotations.NullMarked;

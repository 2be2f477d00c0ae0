/// On each node: relays between training processes and the master, and supervises those processes.
@NullMarked
package dev.pliant.agent;

import org.jspecify.annotations.NullMarked;

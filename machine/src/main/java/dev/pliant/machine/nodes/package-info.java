/// A job's nodes: how many there are to be, why each one ended, what is done then, and where that
/// leaves the job. Pure: no clock, no threads, no processes; platforms carry out what is decided
/// here and tell what they see.
@NullMarked
package dev.pliant.machine.nodes;

import org.jspecify.annotations.NullMarked;

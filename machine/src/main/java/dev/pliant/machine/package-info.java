/// One job's state machine: commands are decided into events, events are applied to the state.
/// Pure: no clock, no threads, no disk, no network; replaying the same events gives the same state.
@NullMarked
package dev.pliant.machine;

import org.jspecify.annotations.NullMarked;

/// What a job uses and how fast it is, as its nodes and its ledgers tell. Nothing is decided by it,
/// so it is not in the journal; what each node used last is in a file, for the next master to show.
@NullMarked
package dev.pliant.master.stats;

import org.jspecify.annotations.NullMarked;

/// What a job uses and how fast it is, as its nodes and its ledgers tell: kept in memory, and gone
/// with the master.
@NullMarked
package dev.pliant.master.stats;

import org.jspecify.annotations.NullMarked;

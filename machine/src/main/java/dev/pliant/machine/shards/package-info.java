/// What becomes of every record: the ledgers of datasets consumed by shards and by steps, and the
/// decisions over them. Pure: no clock, no threads, no disk, no network.
@NullMarked
package dev.pliant.machine.shards;

import org.jspecify.annotations.NullMarked;

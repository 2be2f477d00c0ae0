/// What a job's journal says became of every record: counted anew from the events, not taken from
/// the ledgers that the master keeps.
@NullMarked
package dev.pliant.master.verify;

import org.jspecify.annotations.NullMarked;

/// What a master writes down before it answers, and how the next master reads it: the store behind
/// an interface, a folder as its first form, and the encoding of events and snapshots.
@NullMarked
package dev.pliant.master.journal;

import org.jspecify.annotations.NullMarked;

/// The one thread that owns a job's state: takes commands from a bounded queue, decides them,
/// writes their events down, and only then answers.
@NullMarked
package dev.pliant.master.owner;

import org.jspecify.annotations.NullMarked;

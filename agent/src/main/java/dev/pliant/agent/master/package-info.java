/// The way to the master: where it is, the channel to it, what its errors mean and when to try
/// again.
@NullMarked
package dev.pliant.agent.master;

import org.jspecify.annotations.NullMarked;

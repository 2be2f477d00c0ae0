/// The agent's log.
@NullMarked
package dev.pliant.cli.log;

import org.jspecify.annotations.NullMarked;

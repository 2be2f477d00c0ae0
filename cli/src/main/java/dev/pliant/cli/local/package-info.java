/// The jobs of this machine, as every command sees them.
@NullMarked
package dev.pliant.cli.local;

import org.jspecify.annotations.NullMarked;

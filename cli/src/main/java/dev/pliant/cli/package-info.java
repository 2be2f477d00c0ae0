/// The `pliant` command: the only place that wires the parts together.
@NullMarked
package dev.pliant.cli;

import org.jspecify.annotations.NullMarked;

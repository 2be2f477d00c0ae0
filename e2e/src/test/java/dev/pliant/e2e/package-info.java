/// Whole paths by real processes: a master killed -9, the command line as a newcomer calls it, the
/// Python package against the real agent.
@NullMarked
package dev.pliant.e2e;

import org.jspecify.annotations.NullMarked;

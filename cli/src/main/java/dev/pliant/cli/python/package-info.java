/// The Python that a job's workers run on: what their script needs is read from it, a Python that
/// has it is found on this machine, and where there is none it is got.
@NullMarked
package dev.pliant.cli.python;

import org.jspecify.annotations.NullMarked;

/// The jobs of this machine as the commands see them: from their folders, and from their masters
/// where those run.
@NullMarked
package dev.pliant.cli.jobs;

import org.jspecify.annotations.NullMarked;

/// `pliant run`: a supervisor that starts a job's master, agent and workers on this machine, keeps
/// the master alive, and shows how far the job is.
@NullMarked
package dev.pliant.cli.run;

import org.jspecify.annotations.NullMarked;

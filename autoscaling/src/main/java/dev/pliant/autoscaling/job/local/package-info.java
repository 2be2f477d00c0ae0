/// The local optimiser: sizes from a job's own statistics alone.
@NullMarked
package dev.pliant.autoscaling.job.local;

import org.jspecify.annotations.NullMarked;

/// How large one job should be: what is measured, the plans that follow, the stages of a job's life
/// and the rules around every optimiser. Pure functions over values.
@NullMarked
package dev.pliant.autoscaling.job;

import org.jspecify.annotations.NullMarked;

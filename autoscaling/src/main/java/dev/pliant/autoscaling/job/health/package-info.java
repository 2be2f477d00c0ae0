/// What is found in a job that trains: nodes that run out of memory, late shards, slow workers,
/// jobs that hang, and room for a larger batch.
@NullMarked
package dev.pliant.autoscaling.job.health;

import org.jspecify.annotations.NullMarked;

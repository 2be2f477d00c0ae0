package dev.pliant.autoscaling.job;

/// What a plan came to, measured over two windows of equal length.
///
/// @param plan the plan
/// @param recordsPerSecondBefore the speed in the window before it
/// @param recordsPerSecondAfter the speed in the window after the job had its new size
/// @param fromMillis where the window after begins, in milliseconds since 1970
/// @param toMillis where it ends
/// @param slower whether the plan is taken back
public record PlanOutcome(
    AppliedPlan plan,
    double recordsPerSecondBefore,
    double recordsPerSecondAfter,
    long fromMillis,
    long toMillis,
    boolean slower) {}

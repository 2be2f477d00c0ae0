package dev.pliant.operator.decision;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What the API server said of a job's pod templates when it was asked without making a pod.
///
/// @param refusal what it would not take of them, or null where it takes them
/// @param ignored what it takes and passes over, fields that it does not know for instance, or null
/// @param tryAgainAt where they were refused, when that may be asked again
public record Trial(@Nullable String refusal, @Nullable String ignored, Instant tryAgainAt) {}

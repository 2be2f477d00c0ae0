package dev.pliant.operator.decision;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A pod or other object that the cluster would not take.
///
/// @param pod its name; of other objects [JobObject#word]
/// @param message what it said
/// @param tryAgainAt not before then
/// @param obstacle what already has the name, where that is why
public record Refusal(
    String pod, String message, Instant tryAgainAt, @Nullable Obstacle obstacle) {}

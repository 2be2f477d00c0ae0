package dev.pliant.operator.decision;

import java.time.Instant;

/// A pod that the cluster would not take.
///
/// @param message what it said
/// @param tryAgainAt not before then
public record Refusal(String pod, String message, Instant tryAgainAt) {}

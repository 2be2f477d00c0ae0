package dev.pliant.master.replay;

import dev.pliant.model.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The result of a [JobReplay].
///
/// @param commands how many commands were decided again
/// @param events how many events were compared, up to the first difference
/// @param applied how many events of leases and shard reports were applied as they are
/// @param decisions how many of the compared events are decisions
/// @param from the time of the first step; empty where the journal has none
/// @param to the time of the last step that was replayed
/// @param difference the first difference; empty where there is none
public record Replayed(
    JobId job,
    long commands,
    long events,
    long applied,
    long decisions,
    Optional<Instant> from,
    Optional<Instant> to,
    Optional<Difference> difference) {

  /// Whether the journal was decided again with the same result.
  public boolean same() {
    return difference.isEmpty();
  }

  /// How long the job took, from the first step to the last.
  public Duration span() {
    return from.isPresent() && to.isPresent()
        ? Duration.between(from.get(), to.get())
        : Duration.ZERO;
  }

  /// Where the recorded events and those that are decided again differ.
  ///
  /// @param segment the file
  /// @param offset the first byte of the batch in it
  /// @param sequence the number of the event that differs
  /// @param at the time of the step
  /// @param command the command whose event it is; empty for what followed from the state and the
  ///   time
  /// @param recorded the event in the journal; empty where the journal has no such event
  /// @param decided the event that is decided now, or why none is; empty where there is none
  public record Difference(
      String segment,
      long offset,
      long sequence,
      Instant at,
      String command,
      String recorded,
      String decided) {}
}

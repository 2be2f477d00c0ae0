package dev.pliant.cli.kubernetes;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Remembers how far the log of one container was read, so that it can go on after a connection was
/// cut: lines come with the time of their writing in front, and what is asked for again begins at a
/// whole second. For one thread.
final class LogResume {
  private @Nullable Instant last;

  /// From when on to ask; nothing before the first line.
  Optional<String> since() {
    return Optional.ofNullable(last).map(Instant::toString);
  }

  /// The text of `line`, unless it was taken before.
  Optional<String> take(String line) {
    int space = line.indexOf(' ');
    Instant at;
    try {
      at = Instant.parse(space < 0 ? line : line.substring(0, space));
    } catch (DateTimeParseException e) {
      return Optional.of(line); // The server's own words, for instance that a log is gone.
    }
    if (last != null && !at.isAfter(last)) {
      return Optional.empty();
    }
    last = at;
    return Optional.of(space < 0 ? "" : line.substring(space + 1));
  }
}

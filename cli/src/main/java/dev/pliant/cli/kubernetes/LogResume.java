package dev.pliant.cli.kubernetes;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Remembers how far the log of one container was read, so that it can go on after a connection was
/// cut: lines come with the time of their writing in front, and what is asked for again begins at a
/// whole second. Lines may bear the same time: of those, as many are passed over as were taken
/// before. For one thread.
///
/// A line without a time is the server's own, for instance that a log is gone, and is taken once. A
/// connection that goes on may begin with the rest of a line that was begun before its first second:
/// that bears none either, and was taken. A server that knows no times at all says everything again.
final class LogResume {
  /// How a machine says so; it calls that a log.
  private static final String GONE = "unable to retrieve container logs";

  /// The newest time of a line that was taken, and how many bore it.
  private @Nullable Instant last;

  private int ofLast;

  /// What `last` was when the connection was made, and how many of its lines are to come again.
  private @Nullable Instant mark;

  private int repeated;

  /// Whether a line with a time has come since.
  private boolean timed;

  /// How many lines without a time were taken, the last of them, and how many have come since.
  private int untimed;

  private String words = "";
  private int untimedSince;

  /// Whether the line that came last was taken.
  private boolean taken = true;

  /// From when on to ask; nothing before the first line.
  Optional<String> since() {
    return Optional.ofNullable(last).map(Instant::toString);
  }

  /// A connection was made, for the first time or again.
  void begin() {
    mark = last;
    repeated = ofLast;
    timed = false;
    untimedSince = 0;
  }

  /// The text of `line`, unless it was taken before.
  Optional<String> take(String line) {
    Optional<String> text = text(line);
    taken = text.isPresent();
    return text;
  }

  /// A further piece of the line that came last, which bears no time of its own.
  Optional<String> takeMore(String piece) {
    return taken ? Optional.of(piece) : Optional.empty();
  }

  private Optional<String> text(String line) {
    int space = line.indexOf(' ');
    Instant at;
    try {
      at = Instant.parse(space < 0 ? line : line.substring(0, space));
    } catch (DateTimeParseException e) {
      return isSaidAgain(line) ? Optional.empty() : Optional.of(line);
    }
    timed = true;
    if (isRepeated(at)) {
      return Optional.empty();
    }
    if (last == null || at.isAfter(last)) {
      last = at;
      ofLast = 1;
    } else if (at.equals(last)) {
      ofLast++;
    }
    return Optional.of(space < 0 ? "" : line.substring(space + 1));
  }

  private boolean isSaidAgain(String line) {
    boolean again =
        mark == null
            ? untimedSince++ < untimed
            : line.equals(words) || !timed && !line.startsWith(GONE);
    if (!again) {
      untimed++;
      words = line;
    }
    return again;
  }

  private boolean isRepeated(Instant at) {
    if (mark == null || at.isAfter(mark)) {
      return false;
    }
    return at.isBefore(mark) || repeated-- > 0;
  }
}

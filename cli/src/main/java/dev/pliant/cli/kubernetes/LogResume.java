package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.LinePiece;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Remembers how far the log of one container was read, so that it can go on after a connection was
/// cut: lines come with the time of their writing in front, and what is asked for again begins at a
/// whole second. Lines may bear the same time: of those, as many are passed over as were taken
/// before. Of a long line that a connection was cut in, the beginning may have been taken: it is
/// passed over, and the rest goes on with it. For one thread.
///
/// A line without a time is the server's own, for instance that a log is gone, and is taken once. A
/// connection that goes on may begin with the rest of a line that was begun before its first
/// second: that bears none either, and was taken. A server that knows no times at all says
/// everything again.
final class LogResume {
  /// How a machine says so; it calls that a log.
  private static final String GONE = "unable to retrieve container logs";

  /// The newest time of a line that was taken, and how many bore it.
  private @Nullable Instant last;

  private int ofLast;

  /// How many characters of the newest line were taken, where its end was not; else negative.
  private int begun = -1;

  /// What `last` was when the connection was made, and how many of its lines are to come again.
  private @Nullable Instant mark;

  private int repeated;

  /// Whether a line with a time has come since.
  private boolean timed;

  /// How many lines without a time were taken, the last of them, and how many have come since.
  private int untimed;

  private String words = "";
  private int untimedSince;

  /// What to do with the line that comes now.
  private Line line = Line.TAKEN;

  /// How many characters of it are still to be passed over.
  private int known;

  private enum Line {
    /// It was taken before, or is no line of its own.
    PASSED,
    /// A line without a time, or one that is out of order.
    TAKEN,
    /// The newest so far.
    NEWEST,
    /// The newest so far, whose beginning was taken before.
    CONTINUED
  }

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

  /// What is new in the next piece, without its time.
  Optional<LinePiece> take(LinePiece piece) {
    String text = piece.begins() ? textOf(piece.text()) : piece.text();
    int over = Math.min(known, text.length());
    known -= over;
    boolean anew = over < text.length() || piece.ends() || line != Line.CONTINUED;
    if (line == Line.PASSED || !anew) {
      return Optional.empty();
    }
    if (line != Line.TAKEN) {
      begun = piece.ends() ? -1 : Math.max(begun, 0) + text.length() - over;
    }
    boolean begins = piece.begins() && line != Line.CONTINUED;
    return Optional.of(new LinePiece(text.substring(over), begins, piece.ends()));
  }

  /// Decides on a line by its beginning; the text behind its time.
  private String textOf(String beginning) {
    known = 0;
    int space = beginning.indexOf(' ');
    Instant at;
    try {
      at = Instant.parse(space < 0 ? beginning : beginning.substring(0, space));
    } catch (DateTimeParseException e) {
      line = isSaidAgain(beginning) ? Line.PASSED : Line.TAKEN;
      return beginning;
    }
    timed = true;
    if (!isRepeated(at)) {
      line = count(at);
    } else if (at.equals(mark) && repeated == 0 && begun >= 0) {
      line = Line.CONTINUED;
      known = begun;
    } else {
      line = Line.PASSED;
    }
    return space < 0 ? "" : beginning.substring(space + 1);
  }

  private Line count(Instant at) {
    if (last != null && at.isBefore(last)) {
      return Line.TAKEN;
    }
    ofLast = at.equals(last) ? ofLast + 1 : 1;
    last = at;
    begun = -1;
    return Line.NEWEST;
  }

  private boolean isSaidAgain(String text) {
    boolean again =
        mark == null
            ? untimedSince++ < untimed
            : text.equals(words) || !timed && !text.startsWith(GONE);
    if (!again) {
      untimed++;
      words = text;
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

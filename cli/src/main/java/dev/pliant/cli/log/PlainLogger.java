package dev.pliant.cli.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/// Writes each event to standard error as one line, and a fault with where it arose below it.
final class PlainLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1;

  private final Level least;
  private final String shortName;

  PlainLogger(String name, Level least) {
    this.name = name;
    this.least = least;
    this.shortName = name.substring(name.lastIndexOf('.') + 1);
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable fault) {
    String message = MessageFormatter.basicArrayFormat(pattern, arguments);
    // As one piece, so that lines of several threads do not mix.
    System.err.print(text(LocalTime.now(), level, shortName, message, fault));
    System.err.flush();
  }

  /// As the pattern in `logback.xml` has it.
  static String text(
      LocalTime at, Level level, String name, @Nullable String message, @Nullable Throwable fault) {
    StringBuilder text = new StringBuilder(128);
    digits(text, at.getHour(), 10).append(':');
    digits(text, at.getMinute(), 10).append(':');
    digits(text, at.getSecond(), 10).append('.');
    digits(text, at.getNano() / 1_000_000, 100).append(' ');
    text.append(level).append(" ".repeat(6 - level.toString().length()));
    text.append(name).append(": ").append(message).append('\n');
    if (fault != null) {
      StringWriter trace = new StringWriter();
      fault.printStackTrace(new PrintWriter(trace, true));
      text.append(trace);
    }
    return text.toString();
  }

  /// With zeros in front, up to the place that `unit` is.
  private static StringBuilder digits(StringBuilder text, int value, int unit) {
    for (int place = unit; place > 1 && value < place; place /= 10) {
      text.append('0');
    }
    return text.append(value);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null; // Lines do not say where they come from.
  }

  private boolean isEnabled(Level level) {
    return level.toInt() >= least.toInt();
  }

  @Override
  public boolean isTraceEnabled() {
    return isEnabled(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return isEnabled(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return isEnabled(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return isEnabled(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return isEnabled(Level.ERROR);
  }
}

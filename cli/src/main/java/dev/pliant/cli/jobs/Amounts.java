package dev.pliant.cli.jobs;

import java.time.Duration;
import java.util.Locale;

/// Numbers and times in words.
public final class Amounts {
  private Amounts() {}

  /// For instance `1 worker` or `2 workers`.
  public static String count(long number, String noun) {
    return number == 1 ? "1 " + noun : "%,d %ss".formatted(number, noun);
  }

  /// For instance `0.8 s` or `1 min 20 s`.
  public static String seconds(Duration duration) {
    double seconds = duration.toNanos() / 1e9;
    return seconds < 60 ? String.format(Locale.ROOT, "%.1f s", seconds) : roughly(seconds);
  }

  /// In whole units.
  public static String roughly(double seconds) {
    long whole = (long) Math.ceil(seconds);
    if (whole < 60) {
      return whole + " s";
    }
    if (whole < 3600) {
      return "%d min %d s".formatted(whole / 60, whole % 60);
    }
    return whole < 360_000 ? "%d h %d min".formatted(whole / 3600, whole % 3600 / 60) : "days";
  }

  /// One unit, for a column: `12s`, `5m`, `3h`, `2d`.
  public static String age(Duration age) {
    long seconds = Math.max(0, age.toSeconds());
    if (seconds < 120) {
      return seconds + "s";
    }
    if (seconds < 7_200) {
      return seconds / 60 + "m";
    }
    return seconds < 172_800 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
  }

  /// A measured number with as many digits as tell something.
  public static String metric(double value) {
    double size = Math.abs(value);
    if (value == Math.rint(value) && size < 1e15) {
      return "%,d".formatted((long) value);
    }
    return String.format(
        Locale.ROOT, size >= 100 ? "%.1f" : size >= 0.001 ? "%.4f" : "%.3g", value);
  }

  /// For instance `512 bytes`, `12.4 MB` or `3.0 GB`.
  public static String bytes(long bytes) {
    String[] units = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1_000) {
      return bytes == 1 ? "1 byte" : bytes + " bytes";
    }
    double amount = bytes / 1_000.0;
    int unit = 0;
    while (amount >= 999.95 && unit < units.length - 1) {
      amount /= 1_000;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", amount, units[unit]);
  }

  /// Part of a whole, in whole percent; never 100 before the end.
  public static long percent(long done, long total) {
    return total == 0 ? 0 : Math.min(100, (long) (done * 100.0 / total));
  }
}

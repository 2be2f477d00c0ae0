package dev.pliant.crds;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Numbers as Kubernetes writes them: `2`, `500m`, `3Gi`, `1e3`.
public final class Quantity {
  private static final Pattern FORM =
      Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(?:([eE][+-]?\\d{1,3})|([numkMGTPE]|[KMGTPE]i))?");
  private static final List<String> BINARY = List.of("Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
  private static final List<String> DECIMAL = List.of("k", "M", "G", "T", "P", "E");
  private static final List<String> SMALL = List.of("m", "u", "n");

  private Quantity() {}

  public static boolean isOne(String text) {
    return FORM.matcher(text).matches();
  }

  /// Its value: cores, bytes, or a count.
  ///
  /// @throws IllegalArgumentException where `text` is none
  public static double of(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("no quantity: '" + text + "'");
    }
    String exponent = matcher.group(2) == null ? "" : matcher.group(2);
    return Double.parseDouble(matcher.group(1) + exponent) * factor(matcher.group(3));
  }

  private static double factor(@Nullable String suffix) {
    if (suffix == null) {
      return 1;
    }
    if (BINARY.contains(suffix)) {
      return Math.pow(1024, BINARY.indexOf(suffix) + 1.0);
    }
    return DECIMAL.contains(suffix)
        ? Math.pow(1000, DECIMAL.indexOf(suffix) + 1.0)
        : Math.pow(1000, -SMALL.indexOf(suffix) - 1.0);
  }
}

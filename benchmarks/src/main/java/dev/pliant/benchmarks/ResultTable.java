package dev.pliant.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A result as a table for people.
final class ResultTable {
  private static final List<String> HEAD =
      List.of("MEASURED", "VALUE", "BESIDE", "VALUE", "RATIO (ROUNDS)", "BAR", "MET");
  private static final List<Boolean> RIGHT = List.of(false, true, false, true, true, true, false);

  private ResultTable() {}

  static String of(Result result) {
    var lines = new ArrayList<List<String>>();
    lines.add(HEAD);
    result.rows().forEach(row -> lines.add(cells(row)));
    var widths = new int[HEAD.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    var text = new StringBuilder();
    for (List<String> line : lines) {
      var one = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String pad = " ".repeat(widths[i] - line.get(i).length());
        one.append(RIGHT.get(i) ? pad + line.get(i) : line.get(i) + pad).append("  ");
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    for (Row row : result.rows()) {
      if (row.failure() != null) {
        text.append("\n%s: %s\n".formatted(row.name(), row.failure()));
      }
    }
    return text.toString();
  }

  private static List<String> cells(Row row) {
    Series value = row.value();
    if (value == null) {
      return List.of(row.name(), "failed", "", "", "", row.bar().text(), "no");
    }
    Row.Peer peer = row.peer();
    return List.of(
        row.name(),
        number(value.median()) + " " + row.unit(),
        peer == null ? "" : peer.name(),
        peer == null ? "" : number(peer.value().median()),
        row.ratio().map(ResultTable::spread).orElse(""),
        row.bar().text() + (row.bar() instanceof Bar.ValueAtMost ? " " + row.unit() : ""),
        row.met().map(met -> met ? "yes" : "no").orElse(""));
  }

  private static String spread(Series ratio) {
    return ratio.values().size() == 1
        ? number(ratio.median())
        : "%s (%s–%s)".formatted(number(ratio.median()), number(ratio.min()), number(ratio.max()));
  }

  private static String number(double value) {
    if (value >= 100) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
  }
}

package dev.pliant.cli;

import java.util.ArrayList;
import java.util.List;

/// Rows of cells as lines.
public final class Table {
  private Table() {}

  /// Columns as wide as their widest cell.
  public static List<String> lines(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(row.get(i));
        if (i < columns - 1) {
          line.append(" ".repeat(widths[i] - row.get(i).length() + 3));
        }
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}

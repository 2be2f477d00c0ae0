package dev.pliant.agent.json;

import java.util.List;

/// The name that was probably meant by one that is not known: the one with the fewest edits.
final class NearestName {
  private static final int LONGEST = 64;

  private NearestName() {}

  static String of(String wrong, List<String> known) {
    String nearest = known.getFirst();
    for (String name : known) {
      if (edits(wrong, name) < edits(wrong, nearest)) {
        nearest = name;
      }
    }
    return nearest;
  }

  private static int edits(String left, String right) {
    String a = left.substring(0, Math.min(left.length(), LONGEST));
    int[] row = new int[right.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int change = diagonal + (a.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[right.length()];
  }
}

package dev.pliant.model;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/// Finds what somebody meant who wrote a word that is not known.
public final class Nearest {
  private Nearest() {}

  /// The nearest of `known`, if any is near enough to be meant: a third of the letters wrong at
  /// most, case aside. The earlier one wins a tie.
  public static Optional<String> to(String word, Collection<String> known) {
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String candidate : known) {
      int distance = distance(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      int allowed = Math.max(1, Math.max(word.length(), candidate.length()) / 3);
      if (distance <= allowed && distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /// `; did you mean 'X'?`, or else what may be written instead.
  public static String hint(String word, Collection<String> known) {
    return to(word, known)
        .map(nearest -> "; did you mean '" + nearest + "'?")
        .orElseGet(() -> "; known here: " + String.join(", ", known) + ".");
  }

  /// Letters to insert, drop, replace, or swap with their neighbour.
  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 32) {
      return Integer.MAX_VALUE;
    }
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int replace = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        cost[i][j] = Math.min(replace, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        if (swapped(a, i, b, j)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[a.length()][b.length()];
  }

  private static boolean swapped(String a, int i, String b, int j) {
    return i > 1
        && j > 1
        && a.charAt(i - 1) == b.charAt(j - 2)
        && a.charAt(i - 2) == b.charAt(j - 1);
  }
}

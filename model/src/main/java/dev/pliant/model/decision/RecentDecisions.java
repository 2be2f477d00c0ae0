package dev.pliant.model.decision;

import java.util.ArrayList;
import java.util.List;

/// The newest decisions of a job, and how many there were before them: enough for whoever shows
/// them to people to know which it has shown. The journal has them all.
///
/// @param made how many were ever made; the last of `newest` has this number, the first ever is 1
/// @param newest the last [#KEPT] at the most, oldest first
public record RecentDecisions(long made, List<Decision> newest) {
  /// How many are kept.
  public static final int KEPT = 16;

  /// Nothing was decided yet.
  public static final RecentDecisions NONE = new RecentDecisions(0, List.of());

  public RecentDecisions {
    newest = List.copyOf(newest);
    if (newest.size() > KEPT || newest.size() > made) {
      throw new IllegalArgumentException("%d of %d decisions".formatted(newest.size(), made));
    }
  }

  /// With one more.
  public RecentDecisions with(Decision decision) {
    List<Decision> kept = new ArrayList<>(newest);
    kept.add(decision);
    return new RecentDecisions(
        made + 1, kept.subList(Math.max(0, kept.size() - KEPT), kept.size()));
  }

  /// The number of the first that is kept.
  public long first() {
    return made - newest.size() + 1;
  }
}

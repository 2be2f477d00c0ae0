package dev.pliant.machine.nodes;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a master knows of the time before it whose journal began anew while its job ran.
///
/// @param reserved by role, the first number that no node had; empty where no journal was lost
/// @param kept how many nodes of which size the job had last, or null where that is not known, or
///   its users have said something else since
public record LostJournal(SortedMap<String, Integer> reserved, @Nullable Wish kept) {
  /// Nothing is lost.
  public static final LostJournal NONE = new LostJournal(Collections.emptySortedMap(), null);

  public LostJournal {
    reserved = Collections.unmodifiableSortedMap(new TreeMap<>(reserved));
  }

  public boolean isNone() {
    return reserved.isEmpty();
  }
}

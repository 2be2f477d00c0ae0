package dev.pliant.agent.relay;

import java.util.LinkedHashSet;
import java.util.Set;

/// The last few elements that were added.
final class RecentSet<E> {
  private final Set<E> elements = new LinkedHashSet<>();
  private final int limit;

  RecentSet(int limit) {
    this.limit = limit;
  }

  void add(E element) {
    if (elements.add(element) && elements.size() > limit) {
      elements.remove(elements.iterator().next());
    }
  }

  boolean contains(E element) {
    return elements.contains(element);
  }
}

package dev.pliant.autoscaling.job;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A size that did no good, and is not tried again for a while.
///
/// @param before the roles that were changed, as they were
/// @param after the same roles, as they were tried
/// @param nodes whether single nodes were resized
/// @param untilMillis until when it is not tried again; [Long#MAX_VALUE] for this run
public record TriedSize(
    SortedMap<String, RoleSize> before,
    SortedMap<String, RoleSize> after,
    boolean nodes,
    long untilMillis) {
  public TriedSize {
    before = Collections.unmodifiableSortedMap(new TreeMap<>(before));
    after = Collections.unmodifiableSortedMap(new TreeMap<>(after));
  }

  /// Whether `plan` tries it again: a count that reaches or passes the one that was tried, in the
  /// same direction; where no count was changed, other resources of the same roles, or nodes.
  boolean isTriedBy(ResourcePlan plan, Allocation now) {
    if (nodes && !plan.nodes().isEmpty()) {
      return true;
    }
    for (Map.Entry<String, RoleSize> tried : after.entrySet()) {
      RoleSize planned = plan.roles().get(tried.getKey());
      if (planned != null && isTriedBy(tried.getKey(), tried.getValue(), planned, now)) {
        return true;
      }
    }
    return false;
  }

  private boolean isTriedBy(String role, RoleSize tried, RoleSize planned, Allocation now) {
    RoleSize was = before.get(role);
    int from = was == null ? 0 : was.count();
    if (tried.count() == from) {
      return planned.each().equals(tried.each());
    }
    int current = now.count(role);
    return tried.count() > from
        ? current < tried.count() && planned.count() >= tried.count()
        : current > tried.count() && planned.count() <= tried.count();
  }

  /// The lowest count of the role that was tried in vain, above `from`.
  int lowestCountAbove(String role, int from) {
    RoleSize tried = after.get(role);
    return tried != null && tried.count() > from ? tried.count() : Integer.MAX_VALUE;
  }
}

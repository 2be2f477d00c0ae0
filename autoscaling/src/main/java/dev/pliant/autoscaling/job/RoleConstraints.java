package dev.pliant.autoscaling.job;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import org.jspecify.annotations.Nullable;

/// What a user says about one role.
///
/// @param min the fewest nodes
/// @param max the most nodes
/// @param unit counts are multiples of it
/// @param count the first count, or null where the user gives none
/// @param given what each node is to have; 0 where the user does not say
/// @param autoScale whether plans may change the role
public record RoleConstraints(
    int min, int max, int unit, @Nullable Integer count, NodeResources given, boolean autoScale) {

  public RoleConstraints {
    if (min < 0 || max < min || max > JobPlan.MAX_NODES) {
      throw bad(
          "a role has from %,d to %,d nodes; give a minimum of at least 0 and a maximum from it to %,d"
              .formatted(min, max, JobPlan.MAX_NODES));
    }
    if (unit < 1 || (unit > max && max > 0)) {
      throw bad(
          "a role of at most %,d nodes has the unit %,d; give a unit from 1 to the maximum"
              .formatted(max, unit));
    }
    if (count != null && (count < 0 || count > JobPlan.MAX_NODES)) {
      throw bad("a role has %,d nodes; give from 0 to %,d".formatted(count, JobPlan.MAX_NODES));
    }
  }

  /// Bounds alone.
  public static RoleConstraints of(int min, int max) {
    return new RoleConstraints(min, max, 1, null, NodeResources.UNBOUNDED, true);
  }

  public RoleConstraints withUnit(int newUnit) {
    return new RoleConstraints(min, max, newUnit, count, given, autoScale);
  }

  public RoleConstraints withCount(int newCount) {
    return new RoleConstraints(min, max, unit, newCount, given, autoScale);
  }

  public RoleConstraints withGiven(NodeResources resources) {
    return new RoleConstraints(min, max, unit, count, resources, autoScale);
  }

  public RoleConstraints withAutoScale(boolean newAutoScale) {
    return new RoleConstraints(min, max, unit, count, given, newAutoScale);
  }

  private static PliantException bad(String what) {
    return new PliantException(ErrorCode.BAD_JOB_PLAN, what + ".");
  }
}

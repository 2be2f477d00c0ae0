package dev.pliant.autoscaling.job;

import dev.pliant.model.ResourceLimits;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a user allows a job.
///
/// @param roles the job's roles, by name
/// @param limits what all its nodes may have together
public record JobConstraints(SortedMap<String, RoleConstraints> roles, ResourceLimits limits) {
  public JobConstraints {
    roles = Collections.unmodifiableSortedMap(new TreeMap<>(roles));
  }

  public @Nullable RoleConstraints role(String role) {
    return roles.get(role);
  }

  /// Whether the job trains with parameter servers. The workers of others need each other alone.
  public boolean hasServers() {
    RoleConstraints servers = roles.get(Roles.SERVER);
    return servers != null && servers.max() > 0;
  }

  /// How many chiefs are carved out of the workers.
  public int chiefs() {
    RoleConstraints chief = roles.get(Roles.CHIEF);
    return chief == null ? 0 : Math.min(1, chief.max());
  }
}

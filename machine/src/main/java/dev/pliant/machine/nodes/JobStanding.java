package dev.pliant.machine.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.RecentDecisions;
import java.util.List;
import java.util.Optional;

/// Where a job is, as its nodes make it: what a platform may show to people.
///
/// @param message why it is there, or what its nodes wait for; may be empty
/// @param roles how many nodes of each role are wished, workers first
/// @param replacements how many nodes took the place of another
/// @param decisions what was decided last
public record JobStanding(
    JobPhase phase, String message, List<Size> roles, int replacements, RecentDecisions decisions) {
  /// Of a job of which nothing is known.
  public static final JobStanding NONE =
      new JobStanding(JobPhase.PENDING, "", List.of(), 0, RecentDecisions.NONE);

  public JobStanding {
    roles = List.copyOf(roles);
  }

  JobStanding explained(RecentDecisions by) {
    return new JobStanding(phase, message, roles, replacements, by);
  }

  /// Where the job of this table is.
  static JobStanding of(NodeTable table) {
    if (!table.defined()) {
      return NONE;
    }
    List<Size> sizes =
        table.plan().roles().stream()
            .map(r ->
                new Size(
                    r.role(),
                    table.wish(r.role()),
                    r.min(),
                    r.max(),
                    r.resources(),
                    table.newResources(r.role())))
            .toList();
    return new JobStanding(
        table.phase(), message(table), sizes, table.replacements(), RecentDecisions.NONE);
  }

  /// Why the job is where it is, else what one of its nodes waits for.
  private static String message(NodeTable table) {
    if (!table.phaseReason().isBlank()) {
      return table.phaseReason();
    }
    return table.nodes().stream()
        .filter(node -> node.staying() && node.phase() != NodePhase.RUNNING)
        .filter(node -> !node.message().isBlank())
        .findFirst()
        .map(node -> "%s does not start: %s".formatted(node.id(), node.message()))
        .or(() -> tight(table))
        .orElse("");
  }

  /// Of a role that has fewer nodes than are wished, for want of room within the job's limits.
  private static Optional<String> tight(NodeTable table) {
    return table.plan().roles().stream()
        .map(JobPlan.RolePlan::role)
        .filter(role -> table.phase().wantsNodes() && table.finishingMillis() == 0)
        .filter(role -> table.placesTaken(role) < table.wish(role))
        .filter(role -> NodeUse.room(table, role, 1) == 0)
        .findFirst()
        .map(role ->
            "%d of %d %s nodes are there, and the job's limits (%s) leave no room for another with %s; raise spec.resourceLimits, or ask for fewer or smaller ones."
                .formatted(
                    table.placesTaken(role),
                    table.wish(role),
                    role,
                    table.plan().limits().describe(),
                    table.newResources(role).describe()));
  }

  /// How many nodes of a role are wished, and within which bounds.
  ///
  /// @param template what the job's plan gives to a node of the role
  /// @param resources what a new node of it gets: a wish may have changed that, or what others
  ///   needed
  public record Size(
      String role, int wish, int min, int max, NodeResources template, NodeResources resources) {}
}

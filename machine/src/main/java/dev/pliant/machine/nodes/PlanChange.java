package dev.pliant.machine.nodes;

import dev.pliant.model.JobPlan;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What another plan of a job changes.
final class PlanChange {
  private PlanChange() {}

  static List<Input> inputs(NodeTable table, JobPlan plan) {
    JobPlan before = table.plan();
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.name(InputName.PHASE, table.phase()));
    inputs.add(Input.time(InputName.RUN_BEFORE, before.run()));
    inputs.add(Input.time(InputName.RUN, plan.run()));
    inputs.add(new Input(InputName.PLAN_FIELDS_CHANGED, Value.Names.of(fields(before, plan))));
    for (JobPlan.RolePlan role : plan.roles()) {
      JobPlan.RolePlan was = before.role(role.role());
      if (was != null && was.wish() != role.wish()) {
        inputs.add(Input.name(InputName.ROLE, role.role()));
        inputs.add(Input.count(InputName.REQUESTED_BEFORE, table.wish(role.role())));
        inputs.add(Input.count(InputName.REQUESTED, role.wish()));
      }
    }
    return inputs;
  }

  /// The names of the fields that differ, as the plan has them.
  private static List<String> fields(JobPlan before, JobPlan plan) {
    List<String> changed = new ArrayList<>();
    note(changed, "run", before.run(), plan.run());
    note(changed, "strategy", before.strategy(), plan.strategy());
    note(changed, "elasticity", before.elasticity(), plan.elasticity());
    note(changed, "workers", before.workers(), plan.workers());
    note(changed, "nprocPerNode", before.nprocPerNode(), plan.nprocPerNode());
    note(changed, "command", before.command(), plan.command());
    note(changed, "workingFolder", before.workingFolder(), plan.workingFolder());
    note(changed, "checkpoint", before.checkpoint(), plan.checkpoint());
    note(changed, "pythonPackage", before.pythonPackage(), plan.pythonPackage());
    note(changed, "lastCallMillis", before.lastCallMillis(), plan.lastCallMillis());
    note(changed, "roles", before.others(), plan.others());
    note(changed, "limits", before.limits(), plan.limits());
    note(changed, "uid", before.uid(), plan.uid());
    return changed;
  }

  private static void note(
      List<String> changed, String name, @Nullable Object before, @Nullable Object now) {
    if (!Objects.equals(before, now)) {
      changed.add(name);
    }
  }
}

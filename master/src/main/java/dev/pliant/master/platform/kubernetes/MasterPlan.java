package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.api.DecisionNote;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobResourceSpec;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Decision;
import dev.pliant.model.decision.RecentDecisions;
import dev.pliant.views.DecisionText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a master desires, as the one plan that it writes: all nodes that are to run, those that are
/// to go, and where the job is.
final class MasterPlan {
  /// Where parameter servers listen, by TensorFlow's custom.
  static final int SERVER_PORT = 2222;

  private MasterPlan() {}

  /// @param gone nodes that were told to go once, and never run again
  static ScalePlanSpec of(
      JobNames names, DesiredNodes desired, Set<NodeId> gone, long epoch, Followed followed) {
    List<DesiredNode> staying =
        desired.nodes().stream().filter(n -> !n.leaving() && !gone.contains(n.id())).toList();
    return new ScalePlanSpec(
        names.job().name(),
        counts(desired.job()),
        staying.stream().map(node -> pod(names, node, desired.job())).toList(),
        desired.nodes().stream()
            .filter(DesiredNode::leaving)
            .map(node -> leaving(names, node.id()))
            .toList(),
        null,
        servers(names, staying),
        epoch,
        report(names, desired.job(), followed));
  }

  /// Nothing is to run: what an earlier master left is to go. How many of which size it wished
  /// stays, for a master that is yet to come.
  static ScalePlanSpec empty(JobNames names, long epoch, PlanState before) {
    return new ScalePlanSpec(
        names.job().name(),
        before.roles().isEmpty() ? null : before.roles(),
        List.of(),
        List.of(),
        null,
        null,
        epoch,
        new JobReport(
            JobStatePhase.Pending,
            "the journal of the master before is lost; the job begins anew once its pods are gone",
            null,
            null,
            null,
            null,
            null,
            before.followed().generation(),
            before.followed().sizes().isEmpty() ? null : before.followed().sizes()));
  }

  /// The same as a JobResource.
  static JobResourceSpec asJobResource(JobNames names, ScalePlanSpec plan) {
    Map<String, RolePlan> roles =
        plan.replicaResourceSpecs() == null ? Map.of() : plan.replicaResourceSpecs();
    return new JobResourceSpec(
        new JobResourceSpec.Selector(names.job().name()),
        roles.get(Role.PARAMETER_SERVER.label()),
        roles.get(Role.WORKER.label()),
        roles.get(Role.EVALUATOR.label()),
        roles.get(Role.CHIEF.label()),
        null,
        plan);
  }

  private static PodPlan pod(JobNames names, DesiredNode node, JobStanding job) {
    NodeResources template =
        job.roles().stream()
            .filter(size -> size.role().equals(node.id().role()))
            .map(JobStanding.Size::template)
            .findFirst()
            .orElse(NodeResources.UNBOUNDED);
    ResourceAmounts other = difference(template, node.resources());
    return new PodPlan(
        names.pod(node.id()),
        node.id().role(),
        node.id().number(),
        node.rank(),
        node.restarts(),
        other.isEmpty() ? null : other.ofPlan());
  }

  /// What is not as the template has it; the rest is the template's to say.
  private static ResourceAmounts difference(NodeResources template, NodeResources node) {
    return ResourceAmounts.of(
        new NodeResources(
            node.cpu() == template.cpu() ? 0 : node.cpu(),
            node.memoryMib() == template.memoryMib() ? 0 : node.memoryMib(),
            node.gpus() == template.gpus() ? 0 : node.gpus(),
            node.diskMib() == template.diskMib() ? 0 : node.diskMib()));
  }

  private static PodPlan leaving(JobNames names, NodeId node) {
    return new PodPlan(names.pod(node), node.role(), node.number(), null, null, null);
  }

  private static Map<String, RolePlan> counts(JobStanding job) {
    Map<String, RolePlan> counts = new LinkedHashMap<>();
    for (JobStanding.Size size : job.roles()) {
      ResourceAmounts resources = ResourceAmounts.of(size.resources());
      counts.put(
          size.role(), new RolePlan(size.wish(), resources.isEmpty() ? null : resources.ofPlan()));
    }
    return counts;
  }

  private static @Nullable List<String> servers(JobNames names, List<DesiredNode> staying) {
    SortedMap<Integer, String> byRank = new TreeMap<>();
    for (DesiredNode node : staying) {
      if (node.id().role().equals(Role.PARAMETER_SERVER.label())) {
        // Of two with one place the one before serves until it is told to go.
        byRank.putIfAbsent(node.rank(), names.host(node.id()) + ":" + SERVER_PORT);
      }
    }
    List<String> hosts = List.copyOf(byRank.values());
    return hosts.isEmpty() ? null : hosts;
  }

  private static JobReport report(JobNames names, JobStanding job, Followed followed) {
    JobStanding.@Nullable Size worker =
        job.roles().stream()
            .filter(size -> size.role().equals(NodeId.WORKER))
            .findFirst()
            .orElse(null);
    return new JobReport(
        phase(job.phase()),
        job.message().isEmpty() ? null : job.message(),
        worker == null ? null : worker.wish(),
        worker == null ? null : worker.min(),
        worker == null ? null : worker.max(),
        job.replacements(),
        notes(names, job.decisions()),
        followed.generation(),
        followed.sizes().isEmpty() ? null : followed.sizes());
  }

  private static @Nullable List<DecisionNote> notes(JobNames names, RecentDecisions decisions) {
    DecisionText text = DecisionText.naming(names::pod);
    List<DecisionNote> notes = new ArrayList<>();
    for (Decision decision : decisions.newest()) {
      notes.add(
          new DecisionNote(
              decisions.first() + notes.size(),
              decision.rule().word(),
              shortened(text.of(decision.choice()))));
    }
    return notes.isEmpty() ? null : notes;
  }

  private static String shortened(String words) {
    return words.length() <= DecisionNote.MAX_MESSAGE
        ? words
        : words.substring(0, DecisionNote.MAX_MESSAGE - 1) + "…";
  }

  private static JobStatePhase phase(JobPhase phase) {
    return switch (phase) {
      case PENDING -> JobStatePhase.Pending;
      case RUNNING -> JobStatePhase.Running;
      case SUSPENDED -> JobStatePhase.Suspended;
      case STOPPING -> JobStatePhase.Stopping;
      case SUCCEEDED -> JobStatePhase.Succeeded;
      case FAILED -> JobStatePhase.Failed;
      case STOPPED -> JobStatePhase.Stopped;
    };
  }
}

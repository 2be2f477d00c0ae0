package dev.pliant.operator.decision;

import static java.util.Comparator.comparing;

import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.RefusedPod;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Pods are what the master's plan says.
///
/// | a node | its pod |
/// |---|---|
/// | is to run, and no pod was ever made for it | is made; while the cluster refuses pods of its role, one is tried at a time |
/// | is to run, and its pod is gone or ended | is not made again: what follows is its master's to say |
/// | is to go | is deleted and given its time |
/// | stands in neither list and lives | is deleted at once |
/// | stands in neither list and has ended | stays for its log, while it is one of the newest 20 |
///
/// Without a plan, or with one that an older master wrote, pods are left alone; so they are where
/// the master makes them itself. For a suspended job none is made.
final class NodeRule {
  /// What a pod that is not wanted is given: its processes are killed. Not none at all: then the
  /// API server would forget the pod while it still runs.
  static final long AT_ONCE = 1;

  /// Of nodes that ended, so many are kept for their logs while the job runs.
  static final int KEPT = 20;

  static final String SCALING = "Scaling";
  static final String SUCCEEDED = "Succeeded";

  private NodeRule() {}

  static void apply(Observed seen, Draft draft) {
    PlanView plan = seen.validPlan();
    if (plan == null || seen.job().spec().scaler() == ScalerKind.PodScaler) {
      return;
    }
    boolean none = seen.job().job() == null || seen.job().suspend();
    List<PodPlan> toMake = none ? List.of() : toMake(seen, plan, draft);
    toMake.forEach(node -> draft.act(new Action.CreateNode(node)));
    List<String> made = toMake.stream().map(PodPlan::name).toList();
    if (!made.isEmpty()) {
      draft.decide(
          new Choice(
              new Subject.OfJob(),
              Rule.PODS_CREATED,
              List.of(Input.count(InputName.PODS, plan.toRun().size())),
              Alternatives.nonePossible(),
              Plan.CreatePods.of(made)));
    }
    remove(seen, plan, draft);
    record(seen, plan, Set.copyOf(made), draft);
  }

  private static List<PodPlan> toMake(Observed seen, PlanView plan, Draft draft) {
    Set<String> made = plan.made();
    Set<String> toGo = plan.toGo().keySet();
    Map<String, List<PodPlan>> missing = new LinkedHashMap<>();
    plan.toRun()
        .forEach((name, node) -> {
          if (!made.contains(name) && !toGo.contains(name) && !seen.taken(name)) {
            missing.computeIfAbsent(role(name), _ -> new ArrayList<>()).add(node);
          }
        });
    List<PodPlan> toMake = new ArrayList<>();
    missing.values().forEach(nodes -> toMake.addAll(toTry(seen, nodes, draft)));
    return toMake;
  }

  private static String role(String pod) {
    return pod.substring(0, pod.lastIndexOf('-') + 1);
  }

  /// All of a role; but while the cluster refuses its pods, one at a time, for what keeps one out
  /// keeps out the others. Where a name is taken, that is only the one pod's matter.
  private static List<PodPlan> toTry(Observed seen, List<PodPlan> nodes, Draft draft) {
    Map<PodPlan, Refusal> refused = new LinkedHashMap<>();
    List<PodPlan> free = new ArrayList<>();
    for (PodPlan node : nodes) {
      Refusal refusal = seen.refusalOf(node.name());
      if (refusal == null) {
        free.add(node);
      } else if (refusal.obstacle() == null) {
        refused.put(node, refusal);
      } else if (refusal.tryAgainAt().isAfter(seen.now())) {
        draft.lookAgainAt(refusal.tryAgainAt());
      } else {
        free.add(node);
      }
    }
    if (refused.isEmpty()) {
      return free;
    }
    if (!free.isEmpty()) {
      return List.of(free.getFirst()); // It may be smaller than those that were refused.
    }
    Comparator<Map.Entry<PodPlan, Refusal>> byTime =
        comparing(entry -> entry.getValue().tryAgainAt());
    Instant due = Collections.max(refused.entrySet(), byTime).getValue().tryAgainAt();
    if (due.isAfter(seen.now())) {
      draft.lookAgainAt(due);
      return List.of();
    }
    return List.of(Collections.min(refused.entrySet(), byTime).getKey());
  }

  private static void remove(Observed seen, PlanView plan, Draft draft) {
    Map<String, PodPlan> toRun = plan.toRun();
    Map<String, PodPlan> toGo = plan.toGo();
    List<PodView> leaving = new ArrayList<>();
    List<PodView> unwanted = new ArrayList<>();
    List<PodView> ended = new ArrayList<>();
    for (PodView pod : seen.nodePods()) {
      if (toGo.containsKey(pod.name())) {
        if (pod.stays()) {
          leaving.add(pod);
        }
      } else if (!toRun.containsKey(pod.name())) {
        if (pod.ended() && !pod.deleting()) {
          ended.add(pod);
        } else if (!pod.ended() && (pod.grace() == null || pod.grace() > AT_ONCE)) {
          unwanted.add(pod);
        }
      }
    }
    ended.sort(comparing(PodView::end).reversed().thenComparing(PodView::name));
    draft.delete(leaving, null, Rule.PODS_LEAVING, Objection.NOT_IN_PLAN);
    draft.delete(unwanted, AT_ONCE, Rule.PODS_REMOVED, Objection.NOT_IN_PLAN);
    draft.delete(
        ended.subList(Math.min(KEPT, ended.size()), ended.size()),
        null,
        Rule.PODS_FORGOTTEN,
        Objection.TOO_MANY_KEPT);
  }

  /// Says on the plan what was made, and whether all of it is done.
  private static void record(Observed seen, PlanView plan, Set<String> madeNow, Draft draft) {
    Map<String, PodPlan> toRun = plan.toRun();
    Map<String, PodPlan> toGo = plan.toGo();
    Set<String> madeBefore = plan.made();
    List<PodView> pods = seen.nodePods();
    Set<String> there = Set.copyOf(pods.stream().map(PodView::name).toList());
    List<String> made = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    toRun
        .keySet()
        .forEach(name -> {
          if (madeBefore.contains(name) || madeNow.contains(name) || there.contains(name)) {
            made.add(name);
          } else if (!toGo.containsKey(name)) {
            missing.add(name);
          }
        });
    toGo.keySet().stream()
        .filter(name -> madeBefore.contains(name) && !toRun.containsKey(name))
        .forEach(made::add);
    boolean going =
        pods.stream()
            .filter(pod -> !pod.ended())
            .anyMatch(pod -> toGo.containsKey(pod.name()) || !toRun.containsKey(pod.name()));
    boolean done = missing.isEmpty() && !going;
    String reason =
        done
            ? "%d nodes are to run, and each has had its pod".formatted(toRun.size())
            : missing.isEmpty()
                ? "pods are going" // How many would be a change of this status for each.
                : "%d pods are to be made".formatted(missing.size());
    ScalePlanStatus before = plan.status();
    ScalePlanStatus after =
        new ScalePlanStatus(
            done ? SUCCEEDED : SCALING,
            reason,
            plan.generation(),
            before == null || before.createTime() == null ? seen.time() : before.createTime(),
            done ? finishTime(seen, before) : null,
            made,
            refused(seen, missing));
    if (!after.equals(before)) {
      draft.act(new Action.RecordPlan(after, plan.version()));
    }
  }

  /// Only where there are any: what an older definition does not know is not written to it.
  private static @Nullable List<RefusedPod> refused(Observed seen, List<String> missing) {
    List<RefusedPod> refused =
        missing.stream()
            .map(seen::refusalOf)
            .filter(Objects::nonNull)
            .limit(RefusedPod.MOST)
            .map(refusal -> new RefusedPod(refusal.pod(), refusal.message()))
            .toList();
    return refused.isEmpty() ? null : refused;
  }

  private static String finishTime(Observed seen, @Nullable ScalePlanStatus before) {
    return before != null
            && before.finishTime() != null
            && SUCCEEDED.equals(before.phase())
            && before.createdPods() != null
        ? before.finishTime()
        : seen.time();
  }
}

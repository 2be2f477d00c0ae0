package dev.pliant.operator.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.JobId;
import dev.pliant.operator.decision.PodView.Stage;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One job in a cluster without a world behind it: it obeys actions as an API server would, and
/// says so where one breaks what may never be broken. What the operator sees of it may be old,
/// except for what it did itself: so do caches that remember one's own writes.
final class SmallCluster {
  private static final JobNames NAMES = new JobNames(new JobId("team", "digits"));

  final Map<String, PodView> pods = new TreeMap<>();
  final Map<String, Integer> creations = new TreeMap<>();
  final Map<JobObject, Presence> objects = new EnumMap<>(JobObject.class);
  final ElasticJobResource resource;
  Instant now = Scene.NOW;
  boolean deleted;
  boolean suspend;
  private @Nullable Integer scaled;
  long planGeneration;
  @Nullable ScalePlanSpec plan;
  @Nullable ScalePlanStatus planStatus;
  @Nullable JobStatus status;
  int nextNode;

  private final Map<String, PodView> podsSeen = new TreeMap<>();
  private @Nullable PlanView planSeen;
  private int uids;
  private int recorded;

  /// As far as the operator that is there now remembers.
  boolean tried;

  SmallCluster(String policy, @Nullable Integer ttl) {
    resource =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: digits, namespace: team}
            spec:
              cleanPodPolicy: %s
              %s
              worker:
                replicas: 2
                template: {spec: {containers: [{name: main, image: i, command: [c]}]}}
            """
                .formatted(policy, ttl == null ? "" : "ttl: " + ttl),
            ElasticJobResource.class);
  }

  // What the operator sees.

  /// What a cache has by now: all of the job's plan, and of each pod.
  void seePlan() {
    planSeen = plan == null ? null : new PlanView(planGeneration, planVersion(), plan, planStatus);
  }

  void seePod(String name) {
    PodView pod = pods.get(name);
    if (pod == null) {
      podsSeen.remove(name);
    } else {
      podsSeen.put(name, pod);
    }
  }

  void seeAll() {
    seePlan();
    podsSeen.clear();
    podsSeen.putAll(pods);
  }

  List<String> podNames() {
    List<String> names = new ArrayList<>(pods.keySet());
    podsSeen.keySet().stream().filter(name -> !pods.containsKey(name)).forEach(names::add);
    return names;
  }

  Observed observed() {
    var spec = Serialization.clone(resource);
    var asJob = JobFile.of(spec);
    var json = Serialization.jsonMapper().valueToTree(spec.getSpec());
    ((com.fasterxml.jackson.databind.node.ObjectNode) json).put("suspend", suspend);
    if (scaled != null) {
      ((com.fasterxml.jackson.databind.node.ObjectNode) json)
          .putObject("replicaSpecs")
          .putObject("worker")
          .put("replicas", scaled);
    }
    var withSuspend =
        Serialization.jsonMapper().convertValue(json, dev.pliant.crds.api.JobSpec.class);
    return new Observed(
        new JobView(NAMES, 1, deleted, withSuspend, asJob, null, status, ClaimCleanup.NONE),
        planSeen,
        List.copyOf(podsSeen.values()),
        objects,
        List.of(),
        List.of(),
        null,
        tried ? new Trial(null, null, now) : null,
        now);
  }

  // What the operator does.

  void obey(Action action) {
    switch (action) {
      case Action.ApplyObject(JobObject object) -> {
        assertThat(deleted).as("an object of a job that was deleted").isFalse();
        objects.put(object, Presence.CURRENT);
      }
      case Action.TryTemplates _ -> tried = true;
      case Action.DeleteObject(JobObject object) -> objects.remove(object);
      case Action.CreateMaster(int number) -> create(NAMES.masterPod(number), JobNames.MASTER);
      case Action.CreateNode(PodPlan node) -> createNode(node.name());
      case Action.DeletePod(String name, String uid, Long grace) -> delete(name, uid, grace);
      case Action.RecordPlan(ScalePlanStatus newStatus, String version) -> {
        if (version.equals(planVersion())) {
          planStatus = newStatus;
          recorded++;
          seePlan();
        }
      }
      case Action.FillReplicas(int replicas) -> {
        assertThat(scaled).as("it is filled in once").isNull();
        scaled = replicas;
      }
      case Action.FollowReplicas _ -> throw new AssertionError("nobody changed how many");
      case Action.DeleteJob _ -> deleteJob();
      case Action.AddFinalizer _, Action.RemoveFinalizer _, Action.CreateCleaner _ ->
          throw new AssertionError("the job has nothing on a claim");
    }
  }

  /// As the API server counts: with each word of the plan or of its status.
  private String planVersion() {
    return planGeneration + "." + recorded;
  }

  private void createNode(String name) {
    boolean recorded =
        planStatus != null
            && planStatus.createdPods() != null
            && planStatus.createdPods().contains(name);
    assertThat(recorded).as(name + " is made a second time").isFalse();
    assertThat(suspend).as(name + " is made while the job is suspended").isFalse();
    create(name, "worker");
  }

  /// A name that is taken is refused, which is no harm: the pod is there.
  private void create(String name, String role) {
    assertThat(deleted).as(name + " of a job that was deleted").isFalse();
    assertThat(status == null || status.phase() == null || !Phases.over(status.phase()))
        .as(name + " of a job that is over")
        .isTrue();
    if (!pods.containsKey(name)) {
      creations.merge(name, 1, Integer::sum);
      pods.put(
          name,
          new PodView(
              name, "uid-" + uids++, role, true, Stage.PENDING, false, null, now, null, null));
    }
    seePod(name);
  }

  /// The very pod that is meant, or none.
  private void delete(String name, String uid, @Nullable Long grace) {
    PodView pod = pods.get(name);
    if (pod != null && pod.uid().equals(uid)) {
      pods.put(name, Scene.going(pod, grace == null ? 30 : grace));
    }
    seePod(name);
  }

  // What others do.

  void deleteJob() {
    deleted = true;
    pods.clear();
    objects.clear();
    plan = null;
    planStatus = null;
    seeAll();
  }

  void become(String name, Stage stage) {
    PodView pod = pods.get(name);
    if (pod == null || pod.ended()) {
      return;
    }
    boolean ended = stage == Stage.SUCCEEDED || stage == Stage.FAILED;
    pods.put(
        name,
        new PodView(
            name,
            pod.uid(),
            pod.role(),
            true,
            stage,
            stage == Stage.RUNNING,
            pod.grace(),
            pod.createdAt(),
            ended ? now : null,
            null));
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  boolean masterLives() {
    return pods.values().stream().anyMatch(pod -> pod.isMaster() && pod.stage() == Stage.RUNNING);
  }

  List<String> toRun() {
    return names(plan == null ? null : plan.createPods());
  }

  List<String> toGo() {
    return names(plan == null ? null : plan.removePods());
  }

  /// As a master writes it: the whole of it, with its epoch.
  void write(List<String> toRun, List<String> toGo, JobStatePhase phase) {
    long epoch =
        pods.values().stream()
            .filter(PodView::isMaster)
            .mapToLong(p -> p.number() + 1)
            .max()
            .orElse(0);
    if (plan != null && plan.masterEpoch() != null && plan.masterEpoch() > epoch) {
      return;
    }
    plan =
        new ScalePlanSpec(
            "digits",
            null,
            toRun.stream().map(Scene::node).toList(),
            toGo.stream().map(Scene::node).toList(),
            null,
            null,
            epoch,
            new JobReport(phase, phase.name(), toRun.size(), 1, 60, 0));
    planGeneration++;
  }

  private static List<String> names(@Nullable List<PodPlan> pods) {
    return pods == null ? List.of() : pods.stream().map(PodPlan::name).toList();
  }
}

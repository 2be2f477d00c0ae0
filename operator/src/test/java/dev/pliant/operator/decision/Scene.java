package dev.pliant.operator.decision;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.DecisionNote;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.PodWaiting;
import dev.pliant.model.JobId;
import dev.pliant.operator.decision.PodView.Stage;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A job `digits` with three workers as a test wishes it to be seen. Everything of it is there and
/// runs until a test says otherwise.
final class Scene {
  static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final JobNames NAMES = new JobNames(new JobId("team", "digits"));

  private final List<PodView> pods = new ArrayList<>();
  private final Map<JobObject, Presence> objects = new EnumMap<>(JobObject.class);
  private final List<Obstacle> obstacles = new ArrayList<>();
  private final List<Refusal> refusals = new ArrayList<>();
  private String spec = "";
  private String workers = "replicas: 3, ";
  private @Nullable String direct;
  private boolean deleting;
  private ClaimCleanup cleanup = ClaimCleanup.NONE;
  private @Nullable String fault;
  private @Nullable JobStatus status;
  private List<String> toRun = List.of();
  private List<String> toGo = List.of();
  private List<String> made = List.of();
  private boolean planned;
  private long epoch = 1;
  private long generation = 1;
  private @Nullable JobReport report;
  private @Nullable Instant secretSince;
  private @Nullable Trial trial = new Trial(null, null, NOW);
  private Instant now = NOW;

  /// A job that nobody has looked at yet.
  static Scene firstSight() {
    return new Scene();
  }

  /// A job with all that its master needs, and its master.
  static Scene running() {
    Scene scene = new Scene().master(0, Stage.RUNNING);
    Stream.of(JobObject.values()).forEach(o -> scene.objects.put(o, Presence.CURRENT));
    scene.status = status(JobStatePhase.Running, 1, 1, null);
    return scene;
  }

  static JobStatus status(
      JobStatePhase phase, int masterStarts, long epoch, @Nullable String completionTime) {
    return new JobStatus(
        1L,
        phase,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        masterStarts,
        epoch,
        null,
        null,
        null,
        completionTime,
        null);
  }

  /// Of a job whose condition `Suspended` is what it is since then.
  static JobStatus suspended(String word, Instant since) {
    return Serialization.unmarshal(
        """
        masterStarts: 1
        masterEpoch: 1
        conditions:
        - {type: Suspended, status: "%s", reason: Any, message: Any, lastTransitionTime: "%s"}
        """
            .formatted(word, since),
        JobStatus.class);
  }

  Scene spec(String line) {
    spec += "  " + line + "\n";
    return this;
  }

  Scene workers(String fields) {
    workers = fields;
    return this;
  }

  /// Has the workers directly under `spec`; `scaled` is what is left under `replicaSpecs`.
  Scene direct(String fields, String scaled) {
    direct = fields;
    workers = scaled;
    return this;
  }

  Scene tried(@Nullable Trial result) {
    trial = result;
    return this;
  }

  Scene secretSince(Instant time) {
    secretSince = time;
    return this;
  }

  Scene deleting() {
    deleting = true;
    return this;
  }

  Scene cleanup(ClaimCleanup known) {
    cleanup = known;
    return this;
  }

  Scene fault(String sentence) {
    fault = sentence;
    return this;
  }

  Scene status(@Nullable JobStatus before) {
    status = before;
    return this;
  }

  Scene at(Instant time) {
    now = time;
    return this;
  }

  Scene later(Duration duration) {
    return at(now.plus(duration));
  }

  Scene plan(List<String> toRun, List<String> toGo, List<String> made) {
    planned = true;
    this.toRun = toRun;
    this.toGo = toGo;
    this.made = made;
    return this;
  }

  Scene epoch(long epoch) {
    this.epoch = epoch;
    return this;
  }

  Scene says(JobStatePhase phase, String message) {
    planned = true;
    report = new JobReport(phase, message, 3, 1, 5, 2);
    return this;
  }

  Scene decided(List<DecisionNote> decisions) {
    planned = true;
    report = new JobReport(JobStatePhase.Running, null, 3, 1, 5, 2, decisions, null, null);
    return this;
  }

  /// The job has been changed so often, and its master has heard of so many changes.
  Scene generations(long newest, long followed) {
    generation = newest;
    report = new JobReport(JobStatePhase.Running, null, 3, 1, 5, 2, null, followed, null);
    return this;
  }

  Scene object(JobObject object, Presence presence) {
    objects.put(object, presence);
    return this;
  }

  Scene refused(String pod, String message, Instant tryAgainAt) {
    refusals.add(new Refusal(pod, message, tryAgainAt, null));
    return this;
  }

  Scene refused(String pod, Obstacle obstacle, Instant tryAgainAt) {
    refusals.add(new Refusal(pod, "the name is taken", tryAgainAt, obstacle));
    return this;
  }

  Scene inTheWay(Obstacle obstacle) {
    obstacles.add(obstacle);
    return this;
  }

  Scene without(String pod) {
    pods.removeIf(p -> p.name().equals(pod));
    return this;
  }

  Scene pod(PodView pod) {
    without(pod.name());
    pods.add(pod);
    return this;
  }

  Scene master(int number, Stage stage) {
    return pod(view("digits-master-" + number, JobNames.MASTER, stage));
  }

  Scene worker(int number, Stage stage) {
    return pod(worker("digits-worker-" + number, stage));
  }

  Scene workers(int count, Stage stage) {
    for (int i = 0; i < count; i++) {
      worker(i, stage);
    }
    return this;
  }

  static PodView worker(String name, Stage stage) {
    return view(name, "worker", stage);
  }

  /// A pod that was made ten minutes ago and, where it ended, did so a minute ago.
  static PodView view(String name, String role, Stage stage) {
    boolean ended = stage == Stage.SUCCEEDED || stage == Stage.FAILED;
    return new PodView(
        name,
        "uid-" + name,
        role,
        true,
        stage,
        stage == Stage.RUNNING,
        null,
        NOW.minusSeconds(600),
        ended ? NOW.minusSeconds(60) : null,
        null);
  }

  static PodView going(PodView pod, long grace) {
    return new PodView(
        pod.name(),
        pod.uid(),
        pod.role(),
        pod.ours(),
        pod.stage(),
        pod.ready(),
        grace,
        pod.createdAt(),
        pod.endedAt(),
        pod.waiting());
  }

  static PodView foreign(PodView pod) {
    return new PodView(
        pod.name(),
        "other",
        pod.role(),
        false,
        pod.stage(),
        pod.ready(),
        pod.grace(),
        pod.createdAt(),
        pod.endedAt(),
        pod.waiting());
  }

  static PodView waits(PodView pod, String reason, String message) {
    return new PodView(
        pod.name(),
        pod.uid(),
        pod.role(),
        pod.ours(),
        Stage.PENDING,
        false,
        pod.grace(),
        pod.createdAt(),
        pod.endedAt(),
        new PodWaiting(reason, message));
  }

  static PodView lived(PodView pod, Instant from, Instant to) {
    return new PodView(
        pod.name(),
        pod.uid(),
        pod.role(),
        pod.ours(),
        pod.stage(),
        pod.ready(),
        pod.grace(),
        from,
        to,
        pod.waiting());
  }

  static PodPlan node(String pod) {
    String[] parts = pod.split("-");
    int number = Integer.parseInt(parts[2]);
    return new PodPlan(pod, parts[1], number, number, 0, null);
  }

  Observed seen() {
    ElasticJobResource resource =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: digits, namespace: team}
            spec:
            %s
            %s
            """
                .formatted(spec.stripTrailing(), roles()),
            ElasticJobResource.class);
    ElasticJob job = fault == null ? JobFile.of(resource) : null;
    PlanView plan =
        planned
            ? new PlanView(
                4,
                "17",
                new ScalePlanSpec(
                    "digits", null, nodes(toRun), nodes(toGo), null, null, epoch, report),
                new ScalePlanStatus(null, null, null, null, null, made))
            : null;
    return new Observed(
        new JobView(NAMES, generation, deleting, resource.getSpec(), job, fault, status, cleanup),
        plan,
        pods,
        objects,
        obstacles,
        refusals,
        secretSince,
        trial,
        now);
  }

  private String roles() {
    String template = "template: {spec: {containers: [{name: main, image: i, command: [c]}]}}";
    return direct == null
        ? "  replicaSpecs: {worker: {%s%s}}".formatted(workers, template)
        : "  worker: {%s%s}\n  replicaSpecs: {worker: {%s}}".formatted(direct, template, workers);
  }

  Reaction decide() {
    return JobDecision.decide(seen());
  }

  private static List<PodPlan> nodes(List<String> pods) {
    return pods.stream().map(Scene::node).toList();
  }
}

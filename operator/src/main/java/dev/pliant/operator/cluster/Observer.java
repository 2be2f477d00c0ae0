package dev.pliant.operator.cluster;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.JobSpec;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.operator.decision.JobObject;
import dev.pliant.operator.decision.JobView;
import dev.pliant.operator.decision.Observed;
import dev.pliant.operator.decision.Obstacle;
import dev.pliant.operator.decision.PlanView;
import dev.pliant.operator.decision.PodView;
import dev.pliant.operator.decision.Presence;
import dev.pliant.operator.decision.Refusal;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Puts together what is seen of a job, from caches alone.
record Observer(JobSources sources) {

  Observed observe(
      ElasticJobResource resource,
      JobReader reading,
      JobMemory memory,
      Set<Pod> pods,
      Instant now) {
    String uid = resource.getMetadata().getUid();
    JobSpec spec = resource.getSpec();
    JobNames names = reading.names();
    PlanView plan = names == null ? null : plan(names, spec, uid);
    return new Observed(
        new JobView(
            names,
            reading.generation(),
            resource.getMetadata().getDeletionTimestamp() != null,
            spec,
            reading.job(),
            reading.fault(),
            memory.status(resource),
            memory.cleanup(resource)),
        plan,
        pods(pods, uid, memory, now),
        names == null ? Map.of() : objects(names, reading.job(), uid),
        names == null ? List.of() : obstacles(names, pods, resource, reading.job()),
        refusals(memory, names, plan, now),
        names == null ? null : secretSince(names, uid),
        memory.trial(),
        now);
  }

  private @Nullable Instant secretSince(JobNames names, String uid) {
    return sources
        .find(Secret.class, names.namespace(), names.secret())
        .filter(secret -> !isForeign(secret, uid))
        .map(secret -> secret.getMetadata().getCreationTimestamp())
        .map(Instant::parse)
        .orElse(null);
  }

  /// Of pods that are still wanted: those of the plan, and masters.
  private static List<Refusal> refusals(
      JobMemory memory, @Nullable JobNames names, @Nullable PlanView plan, Instant now) {
    return memory.refusals(now).stream()
        .filter(refusal ->
            (plan != null && plan.toRun().containsKey(refusal.pod()))
                || (names != null && names.node(refusal.pod()).isEmpty()))
        .toList();
  }

  private static List<PodView> pods(Set<Pod> pods, String uid, JobMemory memory, Instant now) {
    return pods.stream()
        .map(pod -> deletedByUs(PodViews.of(pod, uid), memory, now))
        .sorted(Comparator.comparing(PodView::name))
        .toList();
  }

  /// A pod that was just deleted is being deleted, whether the cache shows it or not.
  private static PodView deletedByUs(PodView pod, JobMemory memory, Instant now) {
    Long grace = memory.deletion(pod.uid(), now);
    return grace == null || (pod.grace() != null && pod.grace() <= grace)
        ? pod
        : new PodView(
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

  /// The plan that this job's master wrote: not that of a job of the same name that was deleted.
  private @Nullable PlanView plan(JobNames names, JobSpec spec, String uid) {
    if (spec.scaler() == ScalerKind.JobResource) {
      return sources
          .find(JobResource.class, names.namespace(), names.plan())
          .filter(plan -> belongs(plan, uid) && plan.getSpec().plan() != null)
          .map(plan ->
              new PlanView(
                  generation(plan),
                  version(plan),
                  Objects.requireNonNull(plan.getSpec().plan()),
                  plan.getStatus()))
          .orElse(null);
    }
    return sources
        .find(ScalePlan.class, names.namespace(), names.plan())
        .filter(plan -> belongs(plan, uid) && plan.getSpec() != null)
        .map(
            plan -> new PlanView(generation(plan), version(plan), plan.getSpec(), plan.getStatus()))
        .orElse(null);
  }

  private Optional<? extends HasMetadata> planObject(JobNames names, JobSpec spec) {
    return spec.scaler() == ScalerKind.JobResource
        ? sources.find(JobResource.class, names.namespace(), names.plan())
        : sources.find(ScalePlan.class, names.namespace(), names.plan());
  }

  /// Whether a plan of that name is the word of this job's master. One that nobody owns has to say
  /// so by its label: a user's own may have the name by chance.
  static boolean belongs(HasMetadata plan, String uid) {
    Map<String, String> labels = plan.getMetadata().getLabels();
    boolean masters = labels != null && JobNames.AUTO.equals(labels.get(JobNames.SCALE_TYPE_LABEL));
    return PodViews.ownedBy(plan, uid)
        || (masters && plan.getMetadata().getOwnerReferences().isEmpty());
  }

  private static String version(HasMetadata object) {
    return String.valueOf(object.getMetadata().getResourceVersion());
  }

  private static long generation(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getGeneration(), 0L);
  }

  private Map<JobObject, Presence> objects(JobNames names, @Nullable ElasticJob job, String uid) {
    Map<JobObject, Presence> objects = new EnumMap<>(JobObject.class);
    for (JobObject object : JobObject.values()) {
      sources
          .find(ObjectFactory.type(object), names.namespace(), ObjectFactory.name(object, names))
          .ifPresent(found -> objects.put(object, presence(object, found, job, uid)));
    }
    return objects;
  }

  /// What a cache has under a name of the job's that is another's, or on its way out.
  private List<Obstacle> obstacles(
      JobNames names, Set<Pod> pods, ElasticJobResource job, @Nullable ElasticJob sense) {
    String uid = job.getMetadata().getUid();
    List<Obstacle> obstacles = new ArrayList<>();
    for (JobObject object : JobObject.values()) {
      sources
          .find(ObjectFactory.type(object), names.namespace(), ObjectFactory.name(object, names))
          .filter(found -> isForeign(found, uid) && (sense == null || object.isOf(sense)))
          .ifPresent(found -> obstacles.add(Obstacles.of(found, job)));
    }
    planObject(names, job.getSpec())
        .filter(plan -> !belongs(plan, uid))
        .ifPresent(plan -> obstacles.add(Obstacles.of(plan, job)));
    pods.stream()
        .filter(pod -> !PodViews.ownedBy(pod, uid))
        .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
        .forEach(pod -> obstacles.add(Obstacles.of(pod, job)));
    return obstacles;
  }

  private static boolean isForeign(HasMetadata found, String uid) {
    return !PodViews.ownedBy(found, uid) || found.getMetadata().getDeletionTimestamp() != null;
  }

  private static Presence presence(
      JobObject object, HasMetadata found, @Nullable ElasticJob job, String uid) {
    if (isForeign(found, uid)) {
      return Presence.FOREIGN; // One that is on its way out can be made again when it is gone.
    }
    Map<String, String> annotations = found.getMetadata().getAnnotations();
    String revision = annotations == null ? null : annotations.get(ObjectFactory.REVISION);
    boolean current = job == null || ObjectFactory.revision(object, job).equals(revision);
    return current || object == JobObject.SECRET ? Presence.CURRENT : Presence.OUTDATED;
  }
}

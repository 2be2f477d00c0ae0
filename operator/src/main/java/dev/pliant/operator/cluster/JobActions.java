package dev.pliant.operator.cluster;

import static java.net.HttpURLConnection.HTTP_BAD_REQUEST;
import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_FORBIDDEN;
import static java.net.HttpURLConnection.HTTP_INTERNAL_ERROR;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.JobSpec;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.RoleSpec;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.PliantException;
import dev.pliant.operator.decision.Action;
import dev.pliant.operator.decision.JobObject;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does in the cluster what was decided.
record JobActions(
    KubernetesClient client,
    ObjectFactory factory,
    ObjectActions objects,
    TemplateTrials trials,
    JobSources sources,
    Calls calls,
    OperatorMetrics metrics,
    InstantSource clock) {
  /// Under this name the API server keeps which fields are the operator's.
  static final String FIELD_MANAGER = "pliant-operator";

  /// Another one for the finalizer: an apply drops what its manager applied before and does not
  /// name again, and the number of workers is applied under the first.
  private static final String FINALIZER_MANAGER = "pliant-operator-cleanup";

  private static final Logger log = LoggerFactory.getLogger(JobActions.class);
  private static final int HTTP_UNPROCESSABLE = 422;
  private static final long OWN_GRACE = Long.MAX_VALUE;

  static final PatchContext STATUS =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager(FIELD_MANAGER)
          .withForce(true)
          .build();

  /// The job that actions are done for.
  ///
  /// @param plan what its master says, where it says anything
  record Job(
      ElasticJobResource resource,
      JobReader reading,
      JobMemory memory,
      @Nullable ScalePlanSpec plan,
      Supplier<Boolean> restricted) {

    ObjectMeta metadata() {
      return resource.getMetadata();
    }

    String namespace() {
      return resource.getMetadata().getNamespace();
    }

    ElasticJob sense() {
      return Objects.requireNonNull(reading.job());
    }

    JobNames names() {
      return Objects.requireNonNull(reading.names());
    }
  }

  /// Returns false where the cluster would not take a pod: then the rest is left undone, and what
  /// is seen has changed.
  ///
  /// @throws KubernetesClientException where the cluster could not be asked
  boolean carryOut(List<Action> actions, Job job) throws InterruptedException {
    int i = 0;
    while (i < actions.size()) {
      List<Runnable> together = new ArrayList<>();
      boolean pods = ofNodePods(actions.get(i));
      do {
        Action action = actions.get(i++);
        together.add(() -> carryOut(action, job));
      } while (pods && i < actions.size() && ofNodePods(actions.get(i)));
      long before = job.memory().refusedEver();
      calls.all(together);
      if (job.memory().refusedEver() > before) {
        return false;
      }
    }
    return true;
  }

  private static boolean ofNodePods(Action action) {
    return action instanceof Action.CreateNode || action instanceof Action.DeletePod;
  }

  private void carryOut(Action action, Job job) {
    switch (action) {
      case Action.ApplyObject(JobObject object) -> objects.apply(object, job);
      case Action.TryTemplates _ -> job.memory().tried(trials.of(job));
      case Action.DeleteObject(JobObject object) ->
          objects
              .of(object, job)
              .ifPresent(found -> {
                boolean unused = delete(uri(found), found.getMetadata().getUid(), null, null);
              });
      case Action.CreateMaster(int number) ->
          create(
              job.names().masterPod(number),
              () -> factory.master(job.resource(), job.sense(), number, job.restricted().get()),
              job);
      case Action.CreateNode create ->
          create(
              create.node().name(),
              () ->
                  factory.node(
                      job.resource(),
                      job.sense(),
                      job.plan(),
                      create.node(),
                      job.restricted().get()),
              job);
      case Action.DeletePod delete -> delete(delete, job);
      case Action.RecordPlan record -> record(record, job);
      case Action.FillReplicas(int replicas) -> fill(replicas, job);
      case Action.FollowReplicas(int replicas) -> follow(replicas, job);
      case Action.DeleteJob _ -> {
        boolean unused = delete(uri(job.resource()), job.metadata().getUid(), null, null);
      }
      case Action.AddFinalizer _ -> {
        addFinalizer(job);
        job.memory().finalizer(job.metadata().getUid(), true);
      }
      case Action.RemoveFinalizer _ -> {
        removeFinalizer(job);
        job.memory().finalizer(job.metadata().getUid(), false);
      }
      case Action.CreateCleaner(List<ClaimFolder> folders) -> clean(folders, job);
    }
  }

  private void clean(List<ClaimFolder> folders, Job job) {
    job.memory().cleanerTried(clock.instant());
    try {
      create(
          job.names().cleanerPod(),
          () ->
              factory.cleaner(job.resource(), job.reading().job(), folders, job.restricted().get()),
          job);
    } catch (KubernetesClientException e) {
      if (!namespaceEnds(e)) {
        throw e;
      }
      job.memory().namespaceEnds();
    }
  }

  /// Adds the operator's finalizer. Others' are not touched: each field manager has its own in the
  /// list. A job that is gone gets none.
  private void addFinalizer(Job job) {
    ElasticJobResource patch = new ElasticJobResource();
    patch.setMetadata(named(job.metadata().getName(), job.namespace()));
    patch
        .getMetadata()
        .setUid(job.metadata().getUid()); // Else one that is gone would be made anew.
    patch.getMetadata().setFinalizers(List.of(JobNames.FINALIZER));
    try {
      client.resource(patch).fieldManager(FINALIZER_MANAGER).forceConflicts().serverSideApply();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HTTP_NOT_FOUND && e.getCode() != HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  /// Removes the operator's finalizer, whoever wrote it: a job that was applied from a copy of
  /// itself has it from there. The job's version guards the list; a conflict is tried again.
  private void removeFinalizer(Job job) {
    var live =
        client
            .resources(ElasticJobResource.class)
            .inNamespace(job.namespace())
            .withName(job.metadata().getName());
    ElasticJobResource found = live.get();
    if (found == null || !job.metadata().getUid().equals(found.getMetadata().getUid())) {
      return;
    }
    List<String> others =
        found.getMetadata().getFinalizers().stream()
            .filter(name -> !name.equals(JobNames.FINALIZER))
            .toList();
    Map<String, Object> metadata =
        Map.of("resourceVersion", found.getMetadata().getResourceVersion(), "finalizers", others);
    try {
      live.patch(
          PatchContext.of(PatchType.JSON_MERGE),
          Serialization.asJson(Map.of("metadata", metadata)));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  private void create(String name, Supplier<Pod> pod, Job job) {
    try {
      Pod made = client.pods().inNamespace(job.namespace()).resource(pod.get()).create();
      sources.made(Pod.class, Slim.pod(made));
      job.memory().taken(name);
      metrics.podCreated();
    } catch (PliantException e) {
      refused(name, String.valueOf(e.getMessage()), job);
    } catch (KubernetesClientException e) {
      if (alreadyExists(e)) {
        exists(name, job);
      } else if (isNotTaken(e)) {
        metrics.podRefused();
        refused(name, message(e), job);
      } else {
        throw e; // Among it a quota that was just written by another: it is asked again.
      }
    }
  }

  /// Said once: it is tried again for as long as it is wanted.
  private void refused(String name, String why, Job job) {
    if (job.memory().refused(name, why, clock.instant())) {
      log.info("{} was refused: {}", name, why);
    }
  }

  /// The name is taken: mostly by the very pod, which a cache does not show yet.
  private void exists(String name, Job job) {
    Pod pod = client.pods().inNamespace(job.namespace()).withName(name).get();
    if (pod == null) {
      refused(name, "a pod of that name was just there.", job);
    } else if (PodViews.ownedBy(pod, job.metadata().getUid())) {
      sources.made(Pod.class, Slim.pod(pod));
      job.memory().taken(name);
    } else {
      job.memory().refused(name, Obstacles.of(pod, job.resource()), clock.instant());
    }
  }

  /// A pod that was seen to live is deleted as it was seen: one that has ended meanwhile keeps its
  /// log.
  private void delete(Action.DeletePod pod, Job job) {
    String uri = uri("/api/v1", job.namespace(), "pods", pod.name());
    Optional<Pod> seen =
        sources.find(Pod.class, job.namespace(), pod.name()).filter(PodViews::lives);
    String version = seen.map(living -> living.getMetadata().getResourceVersion()).orElse(null);
    if (!delete(uri, pod.uid(), version, pod.grace())) {
      Pod now = client.pods().inNamespace(job.namespace()).withName(pod.name()).get();
      if (now != null && (!PodViews.lives(now) || !delete(uri, pod.uid(), null, pod.grace()))) {
        return;
      }
    }
    metrics.podDeleted();
    job.memory().deleted(pod.uid(), pod.grace() == null ? OWN_GRACE : pod.grace(), clock.instant());
  }

  private static String uri(HasMetadata object) {
    String version = HasMetadata.getApiVersion(object.getClass());
    return uri(
        (version.contains("/") ? "/apis/" : "/api/") + version,
        object.getMetadata().getNamespace(),
        object.getPlural(),
        object.getMetadata().getName());
  }

  private static String uri(String api, String namespace, String plural, String name) {
    return "%s/namespaces/%s/%s/%s".formatted(api, namespace, plural, name);
  }

  /// The very object that is meant: another of the same name is left alone.
  ///
  /// @param version the only one in which it may be deleted, or null
  /// @return whether it is gone or going; false where it is another, or of another version
  private boolean delete(String uri, String uid, @Nullable String version, @Nullable Long grace) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withGracePeriodSeconds(grace)
            .withPropagationPolicy("Background")
            .withNewPreconditions()
            .withUid(uid)
            .withResourceVersion(version)
            .endPreconditions()
            .build();
    try {
      client.raw(uri, "DELETE", options);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HTTP_CONFLICT) {
        return false;
      }
      if (e.getCode() != HTTP_NOT_FOUND) {
        throw e;
      }
    }
    return true;
  }

  /// Says of a job what there is to say: its status alone, for no other field is the operator's.
  ///
  /// @return the job as it is then; nothing where it is gone
  Optional<ElasticJobResource> say(JobStatus status, ElasticJobResource job) {
    ElasticJobResource patch = new ElasticJobResource();
    patch.setMetadata(named(job.getMetadata().getName(), job.getMetadata().getNamespace()));
    patch.getMetadata().setUid(job.getMetadata().getUid()); // Not one that came after it.
    patch.setStatus(status);
    try {
      return Optional.of(client.resource(patch).subresource("status").patch(STATUS));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HTTP_NOT_FOUND || e.getCode() == HTTP_CONFLICT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private void record(Action.RecordPlan record, Job job) {
    if (job.resource().getSpec().scaler() == ScalerKind.JobResource) {
      recordOn(new JobResource(), JobResource.class, record, job);
    } else {
      recordOn(new ScalePlan(), ScalePlan.class, record, job);
    }
  }

  /// A plan that has changed meanwhile is looked at again.
  private <T extends CustomResource<?, ScalePlanStatus>> void recordOn(
      T plan, Class<T> type, Action.RecordPlan record, Job job) {
    Optional<T> before = sources.find(type, job.namespace(), job.names().plan());
    plan.setMetadata(named(job.names().plan(), job.namespace()));
    plan.getMetadata().setResourceVersion(record.version());
    plan.setStatus(record.status());
    try {
      T written = client.resource(plan).subresource("status").patch(STATUS);
      before.ifPresent(seen -> sources.changed(type, written, seen));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HTTP_CONFLICT) {
        Optional<T> now = Optional.ofNullable(client.resource(plan).get());
        before.ifPresent(seen -> now.ifPresent(newer -> sources.changed(type, newer, seen)));
      } else if (e.getCode() != HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  /// Not by force: a user who has given a number meanwhile has given one.
  private void fill(int replicas, Job job) {
    try {
      client.resource(sized(replicas, job)).fieldManager(FIELD_MANAGER).serverSideApply();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  /// A number that the job's own bounds do not allow is left where it is.
  private void follow(int replicas, Job job) {
    try {
      client
          .resource(sized(replicas, job))
          .fieldManager(FIELD_MANAGER)
          .forceConflicts()
          .serverSideApply();
    } catch (KubernetesClientException e) {
      if (!isRefusal(e)) {
        throw e;
      }
      log.info("{} keeps its number of workers: {}", job.names().job(), message(e));
    }
  }

  private static ElasticJobResource sized(int replicas, Job job) {
    ElasticJobResource patch = new ElasticJobResource();
    patch.setMetadata(named(job.metadata().getName(), job.namespace()));
    patch.getMetadata().setUid(job.metadata().getUid());
    patch.setSpec(sized(replicas));
    return patch;
  }

  private static JobSpec sized(int replicas) {
    RoleSpec workers = new RoleSpec(replicas, null, null, null, null, null, null, null, null, null);
    return new JobSpec(
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
        null,
        Map.of("worker", workers),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  static ObjectMeta named(String name, String namespace) {
    return new ObjectMetaBuilder().withName(name).withNamespace(namespace).build();
  }

  /// Whether nothing can be made any more because the whole namespace is being deleted.
  static boolean namespaceEnds(KubernetesClientException e) {
    return e.getCode() == HTTP_FORBIDDEN
        && e.getStatus() != null
        && e.getStatus().getDetails() != null
        && e.getStatus().getDetails().getCauses().stream()
            .anyMatch(cause -> "NamespaceTerminating".equals(cause.getReason()));
  }

  /// Whether the name is taken. Other conflicts are of what the API server itself writes.
  static boolean alreadyExists(KubernetesClientException e) {
    return e.getCode() == HTTP_CONFLICT
        && e.getStatus() != null
        && "AlreadyExists".equals(e.getStatus().getReason());
  }

  /// Whether the cluster would not take it as it is, and may never.
  static boolean isRefusal(KubernetesClientException e) {
    return switch (e.getCode()) {
      case HTTP_BAD_REQUEST, HTTP_FORBIDDEN, HTTP_UNPROCESSABLE -> !namespaceEnds(e);
      default -> false;
    };
  }

  /// Whether it cannot be made now, and the cluster says why: refused, or in the way of an
  /// admission webhook, for instance, that does not answer.
  static boolean isNotTaken(KubernetesClientException e) {
    return isRefusal(e)
        || (e.getCode() == HTTP_INTERNAL_ERROR
            && e.getStatus() != null
            && e.getStatus().getMessage() != null);
  }

  static String message(KubernetesClientException e) {
    return e.getStatus() != null && e.getStatus().getMessage() != null
        ? e.getStatus().getMessage()
        : String.valueOf(e.getMessage());
  }
}

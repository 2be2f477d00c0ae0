package dev.pliant.operator.cluster;

import dev.pliant.operator.decision.JobObject;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes what a job has in a cluster besides its pods and its plan.
record ObjectActions(
    KubernetesClient client, ObjectFactory factory, JobSources sources, InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(ObjectActions.class);

  /// What a cache has of it.
  Optional<? extends HasMetadata> of(JobObject object, JobActions.Job job) {
    return sources.find(
        ObjectFactory.type(object), job.namespace(), ObjectFactory.name(object, job.names()));
  }

  /// Makes it, or makes it what this operator makes of it. What opens a job is never changed.
  void apply(JobObject object, JobActions.Job job) {
    HasMetadata made = factory.object(object, job.resource(), job.sense());
    try {
      if (object != JobObject.SECRET && of(object, job).isPresent()) {
        change(made);
        job.memory().taken(object.word());
      } else {
        create(object, made, job);
      }
    } catch (KubernetesClientException e) {
      if (!JobActions.isNotTaken(e)) {
        throw e;
      }
      String why = JobActions.message(e);
      if (job.memory().refused(object.word(), why, clock.instant())) {
        log.info("the {} of {} was refused: {}", object.word(), job.names().job(), why);
      }
    }
  }

  private <T extends HasMetadata> void change(T made) {
    Class<T> type = type(made);
    Optional<T> before = find(made);
    T changed =
        client
            .resource(made)
            .fieldManager(JobActions.FIELD_MANAGER)
            .forceConflicts()
            .serverSideApply();
    before.ifPresent(seen -> sources.changed(type, changed, seen));
  }

  /// Somebody else's object of that name is left alone.
  private void create(JobObject object, HasMetadata made, JobActions.Job job) {
    try {
      remember(client.resource(made).create());
      job.memory().taken(object.word());
    } catch (KubernetesClientException e) {
      if (!JobActions.alreadyExists(e)) {
        throw e;
      }
      HasMetadata there = client.resource(made).get();
      if (there == null || PodViews.ownedBy(there, job.metadata().getUid())) {
        Optional.ofNullable(there).ifPresent(this::remember);
        job.memory().taken(object.word());
        return;
      }
      job.memory().refused(object.word(), Obstacles.of(there, job.resource()), clock.instant());
    }
  }

  private <T extends HasMetadata> void remember(T object) {
    if (find(object).isEmpty()) {
      sources.made(type(object), object);
    }
  }

  private <T extends HasMetadata> Optional<T> find(T object) {
    return sources.find(
        type(object), object.getMetadata().getNamespace(), object.getMetadata().getName());
  }

  @SuppressWarnings("unchecked") // An object's class is the class of its kind.
  private static <T extends HasMetadata> Class<T> type(T object) {
    return (Class<T>) object.getClass();
  }
}

package dev.pliant.operator.cluster;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.kubernetes.Images;
import dev.pliant.operator.decision.JobDecision;
import dev.pliant.operator.decision.Observed;
import dev.pliant.operator.decision.PlanView;
import dev.pliant.operator.decision.Reaction;
import dev.pliant.operator.decision.Reaction.News;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Looks at a job, decides, does. Everything is seen through caches; a look that finds nothing to
/// do calls nobody.
@ControllerConfiguration(
    name = "elasticjob",
    fieldManager = JobActions.FIELD_MANAGER,
    triggerReconcilerOnAllEvents = true) // Else jobs that are deleted are not looked at.
public final class JobReconciler implements Reconciler<ElasticJobResource>, AutoCloseable {
  /// Under this name the API server keeps which fields are the operator's.
  public static final String FIELD_MANAGER = JobActions.FIELD_MANAGER;

  /// Counts of pods are written when they have stayed the same for this long, and at the latest
  /// after [#COUNTS_LATEST]: a job of twenty starts with twenty changes.
  private static final Duration COUNTS_SETTLE = Duration.ofSeconds(1);

  private static final Duration COUNTS_LATEST = Duration.ofSeconds(10);

  private static final Duration SWEEP = Duration.ofMinutes(5);

  private final Map<ResourceID, JobMemory> memories = new ConcurrentHashMap<>();
  private final AtomicReference<Instant> nextSweep = new AtomicReference<>(Instant.EPOCH);
  private final JobSources sources = new JobSources();
  private final Observer observer = new Observer(sources);
  private final Calls calls = new Calls();
  private final Set<String> namespaces;
  private final InstantSource clock;
  private final ObjectFactory factory;
  private final OperatorMetrics metrics = new OperatorMetrics(memories::size);
  private final JobActions actions;
  private final EventRecorder events;
  private final NamespaceSecurity security;

  /// @param namespaces those to watch; none for all
  public JobReconciler(
      KubernetesClient client, Set<String> namespaces, Images images, InstantSource clock) {
    this.namespaces = namespaces;
    this.clock = clock;
    this.factory = new ObjectFactory(images, new SecureRandom(), clock);
    ObjectActions objects = new ObjectActions(client, factory, sources, clock);
    TemplateTrials trials = new TemplateTrials(client, factory, clock);
    this.actions = new JobActions(client, factory, objects, trials, sources, calls, metrics, clock);
    this.events = new EventRecorder(client, clock);
    this.security = new NamespaceSecurity(client, clock);
  }

  /// For the jobs themselves: all of each but who wrote which field. It must not serve two watches.
  public static ItemStore<ElasticJobResource> store() {
    return Slim.whole();
  }

  public OperatorMetrics metrics() {
    return metrics;
  }

  @Override
  public List<EventSource<?, ElasticJobResource>> prepareEventSources(
      EventSourceContext<ElasticJobResource> context) {
    return sources.make(context, namespaces);
  }

  @Override
  public UpdateControl<ElasticJobResource> reconcile(
      ElasticJobResource resource, Context<ElasticJobResource> context)
      throws InterruptedException {
    if (resource.getSpec() == null) {
      return UpdateControl.noUpdate(); // The schema refuses such a job; an older one may not have.
    }
    sweep(context);
    if (context.isPrimaryResourceDeleted()) {
      return UpdateControl.noUpdate();
    }
    metrics.looked();
    JobMemory memory =
        memories.computeIfAbsent(ResourceID.fromResource(resource), _ -> new JobMemory());
    JobReader reading = memory.read(resource, factory);
    Looks.Turn turn;
    try {
      turn = Looks.until(() -> look(resource, reading, memory, context));
    } catch (KubernetesClientException e) {
      if (JobActions.namespaceEnds(e)) {
        return UpdateControl.noUpdate(); // The job goes with its namespace.
      }
      throw e;
    }
    UpdateControl<ElasticJobResource> control = conclude(resource, memory, turn);
    // After the status, which says what was told: who fails to write it decides the same again.
    turn.reaction().notices().forEach(notice -> events.tell(resource, notice));
    return control;
  }

  private Looks.Look look(
      ElasticJobResource resource,
      JobReader reading,
      JobMemory memory,
      Context<ElasticJobResource> context)
      throws InterruptedException {
    String namespace = resource.getMetadata().getNamespace();
    Set<Pod> pods = context.getSecondaryResources(Pod.class);
    Observed seen = observer.observe(resource, reading, memory, pods, clock.instant());
    Reaction reaction = JobDecision.decide(seen);
    PlanView plan = seen.plan();
    JobActions.Job job =
        new JobActions.Job(
            resource,
            reading,
            memory,
            plan == null ? null : plan.spec(),
            () -> security.restricted(namespace));
    return new Looks.Look(reaction, actions.carryOut(reaction.actions(), job));
  }

  private UpdateControl<ElasticJobResource> conclude(
      ElasticJobResource resource, JobMemory memory, Looks.Turn turn) {
    Instant now = clock.instant();
    Reaction reaction = turn.reaction();
    Instant again = turn.again(now, memory.unfinished(turn.finished()));
    JobStatus status = reaction.status();
    if (status != null && reaction.news() != News.NONE) {
      if (reaction.news() == News.COUNTS && countsDue(status, memory, now).isAfter(now)) {
        again = earlier(again, countsDue(status, memory, now));
      } else {
        actions
            .say(status, resource)
            .ifPresent(answer -> {
              memory.statusWritten(status, answer.getMetadata(), now);
              metrics.statusWritten();
            });
      }
    }
    UpdateControl<ElasticJobResource> control = UpdateControl.noUpdate();
    if (again != null) {
      Duration wait = Duration.between(now, again);
      control.rescheduleAfter(wait.compareTo(Looks.SOONEST) < 0 ? Looks.SOONEST : wait);
    }
    return control;
  }

  private static Instant countsDue(JobStatus status, JobMemory memory, Instant now) {
    return earlier(
        memory.wantedSince(status, now).plus(COUNTS_SETTLE),
        memory.statusWritten().plus(COUNTS_LATEST));
  }

  private static Instant earlier(@Nullable Instant a, Instant b) {
    return a == null || b.isBefore(a) ? b : a;
  }

  /// Forgets jobs that are gone.
  private void sweep(Context<ElasticJobResource> context) {
    Instant now = clock.instant();
    Instant due = nextSweep.get();
    if (now.isAfter(due) && nextSweep.compareAndSet(due, now.plus(SWEEP))) {
      memories.keySet().removeIf(id -> context.getPrimaryCache().get(id).isEmpty());
    }
  }

  @Override
  public void close() {
    events.close();
    calls.close();
  }
}

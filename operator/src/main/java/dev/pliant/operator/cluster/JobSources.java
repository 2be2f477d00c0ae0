package dev.pliant.operator.cluster;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.kubernetes.JobNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the operator watches besides jobs, a cache for each kind and namespace: their stores keep
/// little, and one store must not serve two watches. A job is looked at again when one of its pods
/// or its plan has changed, or when one of its other objects is gone.
final class JobSources {
  private static final String ALL = "";
  private static final String JOBS_OWN = JobNames.JOB_LABEL;
  private static final String JOBS_OBJECTS =
      "%s,%s=%s".formatted(JobNames.JOB_LABEL, JobNames.MANAGED_BY_LABEL, JobNames.PLIANT);

  /// So many at a time when all are listed: a list of ten thousand pods is never in memory at once.
  private static final long PAGE = 500;

  private final Map<Class<?>, Map<String, InformerEventSource<?, ElasticJobResource>>> sources =
      new LinkedHashMap<>();

  /// @param namespaces none for all
  List<EventSource<?, ElasticJobResource>> make(
      EventSourceContext<ElasticJobResource> context, Set<String> namespaces) {
    pods(context, namespaces);
    add(context, namespaces, ScalePlan.class, Slim::whole, null, JobSources::jobOfPlan, true);
    add(context, namespaces, JobResource.class, Slim::whole, null, JobSources::jobOfResource, true);
    names(context, namespaces, Secret.class);
    names(context, namespaces, ServiceAccount.class);
    names(context, namespaces, Role.class);
    names(context, namespaces, RoleBinding.class);
    names(context, namespaces, Service.class);
    names(context, namespaces, NetworkPolicy.class);
    List<EventSource<?, ElasticJobResource>> all = new ArrayList<>();
    sources.values().forEach(byNamespace -> all.addAll(byNamespace.values()));
    return all;
  }

  /// Remembers what was just made until the watch shows it: who looks now does not make it again.
  <T extends HasMetadata> void made(Class<T> type, T object) {
    source(type, object)
        .ifPresent(s -> s.handleRecentResourceCreate(ResourceID.fromResource(object), object));
  }

  <T extends HasMetadata> void changed(Class<T> type, T object, T before) {
    source(type, object)
        .ifPresent(
            s -> s.handleRecentResourceUpdate(ResourceID.fromResource(object), object, before));
  }

  /// What a cache has of that name.
  <T extends HasMetadata> Optional<T> find(Class<T> type, String namespace, String name) {
    return source(type, namespace).flatMap(s -> s.get(new ResourceID(name, namespace)));
  }

  private <T extends HasMetadata> Optional<InformerEventSource<T, ElasticJobResource>> source(
      Class<T> type, HasMetadata object) {
    return source(type, object.getMetadata().getNamespace());
  }

  @SuppressWarnings("unchecked") // Each stands under the type that it was made for.
  private <T extends HasMetadata> Optional<InformerEventSource<T, ElasticJobResource>> source(
      Class<T> type, String namespace) {
    var byNamespace = Objects.requireNonNull(sources.get(type));
    var source = byNamespace.getOrDefault(namespace, byNamespace.get(ALL));
    return Optional.ofNullable((InformerEventSource<T, ElasticJobResource>) source);
  }

  private void pods(EventSourceContext<ElasticJobResource> context, Set<String> namespaces) {
    for (String namespace : places(namespaces)) {
      var builder = builder(Pod.class, namespace, Slim.pods(), JOBS_OWN, JobSources::jobOfLabel);
      builder.withOnUpdateFilter(
          (now, before) -> !PodViews.of(now, "").equals(PodViews.of(before, "")));
      put(Pod.class, namespace, new InformerEventSource<>(builder.build(), context));
    }
  }

  private <T extends HasMetadata> void names(
      EventSourceContext<ElasticJobResource> context, Set<String> namespaces, Class<T> type) {
    add(
        context,
        namespaces,
        type,
        () -> Slim.names(type),
        JOBS_OBJECTS,
        JobSources::jobOfLabel,
        false);
  }

  /// @param news whether additions and changes, and not only deletions, ask for a look at the job
  private <T extends HasMetadata> void add(
      EventSourceContext<ElasticJobResource> context,
      Set<String> namespaces,
      Class<T> type,
      Supplier<? extends ItemStore<T>> store,
      @Nullable String selector,
      SecondaryToPrimaryMapper<T> mapper,
      boolean news) {
    for (String namespace : places(namespaces)) {
      var builder = builder(type, namespace, store.get(), selector, mapper);
      builder.withOnAddFilter(_ -> news);
      builder.withOnUpdateFilter((now, before) ->
          news
              && !Objects.equals(
                  now.getMetadata().getGeneration(), before.getMetadata().getGeneration()));
      put(type, namespace, new InformerEventSource<>(builder.build(), context));
    }
  }

  private static <T extends HasMetadata> InformerEventSourceConfiguration.Builder<T> builder(
      Class<T> type,
      String namespace,
      ItemStore<T> store,
      @Nullable String selector,
      SecondaryToPrimaryMapper<T> mapper) {
    var builder =
        InformerEventSourceConfiguration.from(type, ElasticJobResource.class)
            .withName(type.getSimpleName() + (namespace.isEmpty() ? "" : "-" + namespace))
            .withItemStore(store)
            .withInformerListLimit(PAGE)
            .withSecondaryToPrimaryMapper(mapper);
    if (selector != null) {
      builder.withLabelSelector(selector);
    }
    return namespace.isEmpty()
        ? builder.withWatchAllNamespaces()
        : builder.withNamespaces(Set.of(namespace));
  }

  private void put(
      Class<?> type, String namespace, InformerEventSource<?, ElasticJobResource> source) {
    sources.computeIfAbsent(type, _ -> new LinkedHashMap<>()).put(namespace, source);
  }

  private static Set<String> places(Set<String> namespaces) {
    return namespaces.isEmpty() ? Set.of(ALL) : namespaces;
  }

  private static Set<ResourceID> jobOfLabel(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return job(object, labels == null ? null : labels.get(JobNames.JOB_LABEL));
  }

  /// Of plans, a master's own only: users' are the master's to read.
  private static Set<ResourceID> jobOfPlan(ScalePlan plan) {
    return jobOfMastersPlan(plan, plan.getSpec() == null ? null : plan.getSpec().ownerJob());
  }

  private static Set<ResourceID> jobOfResource(JobResource resource) {
    boolean masters = resource.getSpec() != null && resource.getSpec().plan() != null;
    return jobOfMastersPlan(resource, masters ? resource.getSpec().selector().job() : null);
  }

  private static Set<ResourceID> jobOfMastersPlan(HasMetadata plan, @Nullable String job) {
    boolean masters = (job + "-" + JobNames.AUTO).equals(plan.getMetadata().getName());
    return masters ? job(plan, job) : Set.of();
  }

  private static Set<ResourceID> job(HasMetadata object, @Nullable String name) {
    return name == null
        ? Set.of()
        : Set.of(new ResourceID(name, object.getMetadata().getNamespace()));
  }
}

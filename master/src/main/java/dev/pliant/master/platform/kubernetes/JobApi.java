package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a master asks of the API server about its own job, and nothing else. Each call is tried
/// once, with a bound; whoever calls decides when it is tried again.
///
/// Every method throws [KubernetesClientException] where the API server is away or refuses.
final class JobApi implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int REQUEST_MILLIS = 10_000;

  /// Not none at all: then the API server would forget the pod while it still runs.
  private static final long AT_ONCE = 1;

  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("pliant-master")
          .withForce(true)
          .build();

  private final KubernetesClient client;
  private final JobNames names;

  /// The job's, once it was read.
  private volatile @Nullable String uid;

  JobApi(KubernetesClient client, JobNames names) {
    this.client = client;
    this.names = names;
  }

  /// As the pod's ServiceAccount, or as `KUBECONFIG` says.
  static KubernetesClient connect() {
    Config config =
        new ConfigBuilder(Config.autoConfigure(null))
            .withRequestRetryBackoffLimit(0)
            .withConnectionTimeout(CONNECT_MILLIS)
            .withRequestTimeout(REQUEST_MILLIS)
            .build();
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  /// Why a call failed: what the server said, or why there was none to say anything.
  static String describe(KubernetesClientException e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause == e || e.getCode() > 0
        ? String.valueOf(e.getMessage())
        : "the API server cannot be reached: " + cause;
  }

  JobNames names() {
    return names;
  }

  // The job.

  Optional<ElasticJobResource> job() {
    ElasticJobResource job = jobResource().get();
    if (job != null && uid == null) {
      uid = job.getMetadata().getUid();
    }
    return Optional.ofNullable(job);
  }

  private Resource<ElasticJobResource> jobResource() {
    return client
        .resources(ElasticJobResource.class)
        .inNamespace(names.namespace())
        .withName(names.job().name());
  }

  // The plan.

  /// The plan, in the shape that a scaler writes it in.
  PlanState plan(ScalerKind kind) {
    if (kind == ScalerKind.JobResource) {
      JobResource found = jobResources().withName(names.plan()).get();
      return found == null || found.getSpec() == null
          ? PlanState.NONE
          : ours(
              found,
              PlanState.of(names, found.getMetadata(), found.getSpec().plan(), found.getStatus()));
    }
    ScalePlan found = scalePlans().withName(names.plan()).get();
    return found == null
        ? PlanState.NONE
        : ours(found, PlanState.of(names, found.getMetadata(), found.getSpec(), found.getStatus()));
  }

  private PlanState ours(HasMetadata plan, PlanState state) {
    return isOurs(plan) ? state : state.ofAnother();
  }

  /// Writes the whole plan.
  void apply(ScalerKind kind, ScalePlanSpec spec, OwnerReference owner) {
    ObjectMetaBuilder metadata =
        new ObjectMetaBuilder()
            .withName(names.plan())
            .withNamespace(names.namespace())
            .withLabels(names.planLabels())
            .withOwnerReferences(owner);
    if (kind == ScalerKind.PodScaler) {
      metadata.withAnnotations(Map.of(JobNames.SCALER_ANNOTATION, kind.name()));
    }
    if (kind == ScalerKind.JobResource) {
      JobResource plan = new JobResource();
      plan.setMetadata(metadata.build());
      plan.setSpec(MasterPlan.asJobResource(names, spec));
      jobResources().withName(names.plan()).patch(APPLY, plan);
    } else {
      ScalePlan plan = new ScalePlan();
      plan.setMetadata(metadata.build());
      plan.setSpec(spec);
      scalePlans().withName(names.plan()).patch(APPLY, plan);
    }
  }

  /// Says what became of a plan or a JobResource.
  <T extends CustomResource<?, ScalePlanStatus>> void answer(
      Class<T> type, T empty, String name, ScalePlanStatus status) {
    ObjectMeta metadata =
        new ObjectMetaBuilder().withName(name).withNamespace(names.namespace()).build();
    empty.setMetadata(metadata);
    empty.setStatus(status);
    client
        .resources(type)
        .inNamespace(names.namespace())
        .withName(name)
        .subresource("status")
        .patch(APPLY, empty);
  }

  private io.fabric8.kubernetes.client.dsl.NonNamespaceOperation<
          ScalePlan,
          io.fabric8.kubernetes.api.model.KubernetesResourceList<ScalePlan>,
          Resource<ScalePlan>>
      scalePlans() {
    return client.resources(ScalePlan.class).inNamespace(names.namespace());
  }

  private io.fabric8.kubernetes.client.dsl.NonNamespaceOperation<
          JobResource,
          io.fabric8.kubernetes.api.model.KubernetesResourceList<JobResource>,
          Resource<JobResource>>
      jobResources() {
    return client.resources(JobResource.class).inNamespace(names.namespace());
  }

  // Pods.

  /// Every pod of the job's nodes.
  List<Pod> pods() {
    return nodePods().list().getItems().stream().filter(this::isOurs).toList();
  }

  /// Whether an object is not one of a job of the same name that was deleted.
  boolean isOurs(HasMetadata object) {
    String known = uid;
    return known == null
        || object.getMetadata().getOwnerReferences().stream()
            .filter(owner -> owner.getKind().equals(ElasticJob.KIND))
            .allMatch(owner -> owner.getUid().equals(known));
  }

  private FilterWatchListDeletable<Pod, io.fabric8.kubernetes.api.model.PodList, PodResource>
      nodePods() {
    return client
        .pods()
        .inNamespace(names.namespace())
        .withLabels(names.podSelector())
        .withLabel(JobNames.NODE_LABEL);
  }

  /// Makes a pod; one of this job that is there already is as good.
  ///
  /// @return what is in the way by its name; empty where the pod is there
  Optional<ForeignPod> create(Pod pod) {
    try {
      client.resource(pod).inNamespace(names.namespace()).create();
      return Optional.empty();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
          || !"AlreadyExists".equals(e.getStatus() == null ? "" : e.getStatus().getReason())) {
        throw e;
      }
      Pod found =
          client.pods().inNamespace(names.namespace()).withName(pod.getMetadata().getName()).get();
      if (found == null) {
        throw e; // It has just gone.
      }
      return ForeignPod.of(found, names.job().name(), uid);
    }
  }

  /// Removes the pod of a node, by its name.
  ///
  /// @param atOnce whether its processes are killed
  void delete(NodeId node, boolean atOnce) {
    PodResource pod = client.pods().inNamespace(names.namespace()).withName(names.pod(node));
    if (atOnce) {
      pod.withGracePeriod(AT_ONCE).delete();
    } else {
      pod.delete();
    }
  }

  // Watching. An informer lists, watches, and lists again whenever the watch cannot go on. Of plans
  // only those are asked for that can be users' wishes: the others are written all the time.

  SharedIndexInformer<Pod> watchPods(ResourceEventHandler<Pod> handler) {
    return started(nodePods().runnableInformer(0), handler);
  }

  SharedIndexInformer<ElasticJobResource> watchJob(
      ResourceEventHandler<ElasticJobResource> handler) {
    return started(jobResource().runnableInformer(0), handler);
  }

  SharedIndexInformer<ScalePlan> watchScalePlans(ResourceEventHandler<ScalePlan> handler) {
    return started(
        scalePlans().withoutLabel(JobNames.SCALE_TYPE_LABEL, JobNames.AUTO).runnableInformer(0),
        handler);
  }

  SharedIndexInformer<JobResource> watchJobResources(ResourceEventHandler<JobResource> handler) {
    return started(
        jobResources().withoutLabel(JobNames.SCALE_TYPE_LABEL, JobNames.AUTO).runnableInformer(0),
        handler);
  }

  /// Returns at once: an API server that is away is waited for.
  private static <T> SharedIndexInformer<T> started(
      SharedIndexInformer<T> informer, ResourceEventHandler<T> handler) {
    var unused = informer.exceptionHandler((_, _) -> true).addEventHandler(handler).start();
    return informer;
  }

  @Override
  public void close() {
    client.close();
  }
}

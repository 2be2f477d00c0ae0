package dev.pliant.master.platform.kubernetes;

import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.platform.Platform;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.master.platform.ScalerContract;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// One job in a real cluster, whose nodes are small pods without an agent.
final class KubernetesWorld implements ScalerContract.World {
  static final String OBEDIENT = "trap 'exit 143' TERM; sleep 3600 & wait";
  static final String STUBBORN = "trap '' TERM; while true; do sleep 1; done";

  private final Cluster cluster;
  final ElasticJobResource job;
  final JobNames names;
  private final AtomicLong epochs = new AtomicLong();
  private final Map<NodeId, Set<String>> seen = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> counter;
  private final @Nullable StandInOperator operator;

  KubernetesWorld(Cluster cluster, ScalerKind scaler, boolean stubborn) {
    this(cluster, scaler, stubborn ? STUBBORN : OBEDIENT);
  }

  KubernetesWorld(Cluster cluster, ScalerKind scaler, String script) {
    this.cluster = cluster;
    this.job = cluster.job(scaler.name(), script);
    this.names = JobNames.of(job);
    this.counter =
        cluster
            .client
            .pods()
            .inNamespace(cluster.namespace)
            .withLabels(names.podSelector())
            .inform(new Counter());
    this.operator =
        scaler == ScalerKind.PodScaler ? null : new StandInOperator(cluster.client, job, this::pod);
  }

  private final class Counter implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      names
          .node(pod.getMetadata().getName())
          .ifPresent(node ->
              seen.computeIfAbsent(node, _ -> ConcurrentHashMap.newKeySet())
                  .add(pod.getMetadata().getUid()));
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      onAdd(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {}
  }

  /// The template as it stands.
  Pod pod(PodPlan plan, ScalePlanSpec whole) {
    PodTemplateSpec template =
        Serialization.unmarshal(
            Serialization.asJson(
                Objects.requireNonNull(
                        Objects.requireNonNull(job.getSpec().replicaSpecs()).get("worker"))
                    .template()),
            PodTemplateSpec.class);
    NodeId node = names.node(plan.name()).orElseThrow();
    return new PodBuilder()
        .withNewMetadata()
        .withName(plan.name())
        .withNamespace(names.namespace())
        .withLabels(names.nodeLabels(node, Objects.requireNonNull(plan.rankIndex())))
        .withOwnerReferences(JobNames.owner(job))
        .endMetadata()
        .withSpec(template.getSpec())
        .editSpec()
        .withRestartPolicy("Never")
        .withAutomountServiceAccountToken(false)
        .endSpec()
        .build();
  }

  @Override
  public Platform.Opened open(BooleanSupplier current) throws IOException {
    return open(current, JobApi.connect());
  }

  Platform.Opened open(BooleanSupplier current, KubernetesClient client) throws IOException {
    return KubernetesPlatform.open(
        new PlatformConfig(
            JobPlans.of(job),
            Path.of("/nowhere"),
            List.of(),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            current,
            epochs.incrementAndGet(),
            Map.of()),
        client,
        this::pod);
  }

  @Override
  public List<NodeId> alive() {
    return pods().stream()
        .filter(pod -> !(PodNews.of(node(pod), pod) instanceof NodeNews.Ended))
        .map(this::node)
        .toList();
  }

  private List<Pod> pods() {
    return new JobApi(cluster.client, names).pods();
  }

  private NodeId node(Pod pod) {
    return names.node(pod.getMetadata().getName()).orElseThrow();
  }

  @Override
  public long starts(NodeId node) {
    return seen.getOrDefault(node, Set.of()).size();
  }

  @Override
  public void crash(NodeId node) {
    new JobApi(cluster.client, names).delete(node, true);
    await().atMost(Duration.ofSeconds(60)).until(() -> !alive().contains(node));
  }

  @Override
  public void close() {
    counter.close();
    if (operator != null) {
      operator.close();
    }
    cluster.client.resource(job).delete();
    cluster.removePods(names.job().name());
  }
}

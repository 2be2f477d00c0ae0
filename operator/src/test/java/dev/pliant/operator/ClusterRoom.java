package dev.pliant.operator;

import static org.awaitility.Awaitility.await;

import dev.pliant.crds.CustomResourceDefinitions;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.Images;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A namespace of its own in the cluster that KUBECONFIG names, with an operator that sees nothing
/// else and may do there what `deploy/` lets it do, and no more. Masters and agents are images that
/// do nothing; a test writes plans as a master would.
final class ClusterRoom implements AutoCloseable {
  private static final String ACCOUNT = "operator-it";
  private static final Images IMAGES =
      new Images("pliant.local/pause:1", "pliant.local/pause:1", "IfNotPresent");

  final KubernetesClient client = new KubernetesClientBuilder().build();
  final String namespace;
  private final Images images;
  private final List<PliantOperator> operators = new ArrayList<>();
  private final Set<String> deposed = ConcurrentHashMap.newKeySet();

  private ClusterRoom(String name, Images images) {
    this.images = images;
    namespace = "operator-it-" + name + "-" + Long.toString(System.nanoTime(), 36);
    CustomResourceDefinitions.all().forEach(this::define);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    allowOperator();
  }

  private void define(CustomResourceDefinition definition) {
    client.resource(definition).forceConflicts().serverSideApply();
    var kind = CustomResourceDefinitionContext.fromCrd(definition);
    await("an API server that serves what was defined")
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> client.genericKubernetesResources(kind).inNamespace("default").list() != null);
  }

  private void allowOperator() {
    client
        .resource(
            new RoleBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .withRules(OperatorRights.overJobs())
                .addAllToRules(OperatorRights.atHome())
                .build())
        .create();
    client
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "Role", ACCOUNT)
                .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                .build())
        .create();
  }

  static ClusterRoom open(String name) {
    return open(name, IMAGES);
  }

  static ClusterRoom open(String name, Images images) {
    ClusterRoom room = withoutOperator(name, images);
    room.startOperator(false, "it");
    return room;
  }

  /// One whose test starts operators itself.
  static ClusterRoom withoutOperator(String name) {
    return withoutOperator(name, IMAGES);
  }

  private static ClusterRoom withoutOperator(String name, Images images) {
    Needs.clusterOfThisMachine();
    Needs.that(!operatorRuns(), "a cluster without an operator: two would see to the same jobs");
    return new ClusterRoom(name, images);
  }

  private static boolean operatorRuns() {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      return client
          .pods()
          .inAnyNamespace()
          .withLabel("app.kubernetes.io/name", "pliant")
          .withLabel("app.kubernetes.io/component", "operator")
          .list()
          .getItems()
          .stream()
          .anyMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null);
    }
  }

  /// @param elected whether it works only while it holds the Lease
  PliantOperator startOperator(boolean elected, String identity) {
    return startOperator(Set.of(namespace), elected, identity);
  }

  /// One that is to look after these namespaces; it may see this room's own alone.
  PliantOperator startOperator(Set<String> namespaces, boolean elected, String identity) {
    PliantOperator operator =
        PliantOperator.start(
            new OperatorConfig(namespaces, elected, namespace, identity, images, 0),
            new ConfigBuilder(client.getConfiguration())
                .withImpersonateUsername(
                    "system:serviceaccount:%s:%s".formatted(namespace, ACCOUNT))
                .withImpersonateGroups("system:serviceaccounts", "system:authenticated")
                .build(),
            () -> deposed.add(identity)); // Its process is that of all tests, and does not end.
    operators.add(operator);
    return operator;
  }

  void close(PliantOperator operator) {
    operators.remove(operator);
    operator.close();
  }

  void restartOperator() {
    close(operators.getFirst());
    startOperator(false, "it");
  }

  /// Operators that would have ended their process, for another has the Lease.
  Set<String> deposed() {
    return Set.copyOf(deposed);
  }

  int healthPort() {
    return operators.getFirst().healthPort();
  }

  /// A number that an operator tells of itself.
  static long metric(PliantOperator operator, String name)
      throws IOException, InterruptedException {
    URI there = URI.create("http://127.0.0.1:%d/metrics".formatted(operator.healthPort()));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(there).build(), HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith(name + " "))
          .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
          .findFirst()
          .orElseThrow();
    }
  }

  ElasticJobResource create(String yaml) {
    ElasticJobResource job = Serialization.unmarshal(yaml, ElasticJobResource.class);
    job.getMetadata().setNamespace(namespace);
    return client.resource(job).create();
  }

  ElasticJobResource job(String name) {
    return Objects.requireNonNull(
        client.resources(ElasticJobResource.class).inNamespace(namespace).withName(name).get());
  }

  /// As a master writes its plan: the whole of it, each time.
  void plan(ElasticJobResource job, List<String> toRun, List<String> toGo, JobStatePhase phase) {
    JobNames names = JobNames.of(job);
    ScalePlan plan = new ScalePlan();
    plan.setMetadata(
        new ObjectMetaBuilder()
            .withName(names.plan())
            .withNamespace(namespace)
            .withLabels(names.planLabels())
            .withOwnerReferences(JobNames.owner(job))
            .build());
    plan.setSpec(
        new ScalePlanSpec(
            names.job().name(),
            null,
            nodes(names, toRun),
            nodes(names, toGo),
            null,
            null,
            1L,
            new JobReport(phase, "said by the test", toRun.size(), 1, 10, 0)));
    client.resource(plan).fieldManager("pliant-master").forceConflicts().serverSideApply();
  }

  ScalePlan plan(String job) {
    return Objects.requireNonNull(
        client.resources(ScalePlan.class).inNamespace(namespace).withName(job + "-auto").get());
  }

  private static List<PodPlan> nodes(JobNames names, List<String> pods) {
    return pods.stream()
        .map(pod -> {
          var node = names.node(pod).orElseThrow();
          return new PodPlan(pod, node.role(), node.number(), node.number(), 0, null);
        })
        .toList();
  }

  /// Pods of the job that nobody has told to go.
  Set<String> pods(String job) {
    return podsOf(job).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// All of them, whether they are going or not.
  Set<String> podNames(String job) {
    return podsOf(job).stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  List<Pod> podsOf(String job) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(JobNames.JOB_LABEL, job)
        .list()
        .getItems();
  }

  /// Kind and name of all that the job has besides pods and its plan.
  Set<String> objects(String job) {
    List<HasMetadata> found = new ArrayList<>();
    found.addAll(
        client
            .secrets()
            .inNamespace(namespace)
            .withLabel(JobNames.JOB_LABEL, job)
            .list()
            .getItems());
    found.addAll(
        client
            .serviceAccounts()
            .inNamespace(namespace)
            .withLabel(JobNames.JOB_LABEL, job)
            .list()
            .getItems());
    found.addAll(
        client
            .services()
            .inNamespace(namespace)
            .withLabel(JobNames.JOB_LABEL, job)
            .list()
            .getItems());
    found.addAll(
        client
            .rbac()
            .roles()
            .inNamespace(namespace)
            .withLabel(JobNames.JOB_LABEL, job)
            .list()
            .getItems());
    found.addAll(
        client
            .rbac()
            .roleBindings()
            .inNamespace(namespace)
            .withLabel(JobNames.JOB_LABEL, job)
            .list()
            .getItems());
    found.addAll(
        client
            .network()
            .networkPolicies()
            .inNamespace(namespace)
            .withLabel(JobNames.JOB_LABEL, job)
            .list()
            .getItems());
    return found.stream()
        .map(object -> object.getKind() + " " + object.getMetadata().getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Reasons of the events that the job has.
  Set<String> eventReasons(String job) {
    return eventsOf(job).map(Event::getReason).collect(Collectors.toCollection(TreeSet::new));
  }

  /// All events that the job has, by reason and message.
  List<String> events(String job) {
    return eventsOf(job).map(event -> event.getReason() + ": " + event.getMessage()).toList();
  }

  private Stream<Event> eventsOf(String job) {
    return client.v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(event -> job.equals(event.getInvolvedObject().getName()));
  }

  @Override
  public void close() {
    operators.forEach(PliantOperator::close);
    client.namespaces().withName(namespace).delete();
    client.close();
  }
}

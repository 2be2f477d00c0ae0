package dev.pliant.e2e;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/// A job on a real cluster, as a test sees it.
record ClusterJob(RealCluster cluster, String namespace, String name) {
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  /// Its pods of a role, the oldest first.
  List<Pod> pods(String role) {
    return cluster
        .client()
        .pods()
        .inNamespace(namespace)
        .withLabel("pliant.dev/job", name)
        .withLabel("pliant.dev/role", role)
        .list()
        .getItems()
        .stream()
        .sorted((a, b) -> number(a) - number(b))
        .toList();
  }

  /// Those that run and are not about to go.
  List<Pod> running(String role) {
    return pods(role).stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }

  /// Its workers that run: the uid of each, by the pod's name.
  Map<String, String> workers() {
    Map<String, String> workers = new TreeMap<>();
    running("worker")
        .forEach(pod -> workers.put(pod.getMetadata().getName(), pod.getMetadata().getUid()));
    return workers;
  }

  Pod pod(String podName) {
    return cluster.client().pods().inNamespace(namespace).withName(podName).require();
  }

  /// Kind and name of whatever bears its label, of all kinds that are made for a job.
  List<String> objects() {
    return listObjects().orThrow("kubectl get").output().lines().toList();
  }

  /// The same as kubectl answers, which may be that it could not ask.
  Commands.Result listObjects() {
    return cluster.kubectl(
        "-n",
        namespace,
        "get",
        "pods,secrets,serviceaccounts,services,endpointslices,roles,rolebindings,networkpolicies,"
            + "scaleplans,jobresources,configmaps,persistentvolumeclaims,leases",
        "-l",
        "pliant.dev/job=" + name,
        "--ignore-not-found",
        "--request-timeout=30s",
        "-o",
        "name");
  }

  /// Names of its pods, of whatever role, that have not ended.
  List<String> living() {
    return cluster
        .client()
        .pods()
        .inNamespace(namespace)
        .withLabel("pliant.dev/job", name)
        .list()
        .getItems()
        .stream()
        .filter(pod -> !ENDED.contains(pod.getStatus().getPhase()))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  private static int number(Pod pod) {
    String podName = pod.getMetadata().getName();
    return Integer.parseInt(podName.substring(podName.lastIndexOf('-') + 1));
  }

  /// What the operator says of it.
  Optional<JobStatus> status() {
    return Optional.ofNullable(
            cluster
                .client()
                .resources(ElasticJobResource.class)
                .inNamespace(namespace)
                .withName(name)
                .get())
        .map(ElasticJobResource::getStatus);
  }

  boolean isIn(JobStatePhase phase) {
    return status().map(status -> status.phase() == phase).orElse(false);
  }

  /// What its master says; nothing while none answers.
  Optional<GetJobResponse> master() {
    return masterLocation().flatMap(ClusterJob::master);
  }

  /// What the master there says; for which nobody asks the API server.
  private static Optional<GetJobResponse> master(MasterLocation there) {
    try (MasterConnection connection = new MasterConnection(there)) {
      return Optional.of(
          connection.jobs(Duration.ofSeconds(5)).getJob(GetJobRequest.getDefaultInstance()));
    } catch (StatusRuntimeException | PliantException _) {
      return Optional.empty();
    }
  }

  /// What its master says of a wish of somebody's.
  <T extends CustomResource<?, ScalePlanStatus>> ScalePlanStatus answerTo(
      Class<T> type, String wish, Duration bound) {
    return await("an answer to " + wish, bound, () -> status(type, wish), Optional::isPresent)
        .orElseThrow();
  }

  private <T extends CustomResource<?, ScalePlanStatus>> Optional<ScalePlanStatus> status(
      Class<T> type, String wish) {
    return Optional.ofNullable(
            cluster.client().resources(type).inNamespace(namespace).withName(wish).get())
        .map(CustomResource::getStatus)
        .filter(status -> status.phase() != null);
  }

  /// Where its masters are, one after the other; nothing before the first.
  Optional<MasterLocation> masterLocation() {
    try {
      Service service =
          cluster.client().services().inNamespace(namespace).withName(name + "-master").get();
      Secret secret =
          cluster.client().secrets().inNamespace(namespace).withName(name + "-pliant").get();
      return service == null || secret == null
          ? Optional.empty()
          : Optional.of(
              new MasterLocation.Fixed(
                  service.getSpec().getClusterIP() + ":7077",
                  Optional.of(text(secret, "ca.pem")),
                  text(secret, "token")));
    } catch (KubernetesClientException _) {
      return Optional.empty();
    }
  }

  private static String text(Secret secret, String key) {
    return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8)
        .strip();
  }

  /// Records that are done, as soon as a master says so.
  long recordsDone(Duration bound) {
    return recordsDone(
        await("a master that answers", bound, this::master, Optional::isPresent).orElseThrow());
  }

  private static long recordsDone(GetJobResponse job) {
    return job.getDatasetsList().stream().mapToLong(dataset -> dataset.getRecordsDone()).sum();
  }

  /// Waits until so many train together, in a world that is not about to end, and until they have
  /// trained something.
  void awaitWorld(int size, Duration bound) {
    await("a world of " + size, bound, () -> world().size() == size);
    awaitProgress(bound);
  }

  /// Names of the pods that train together and are to go on so; none while no master answers.
  List<String> world() {
    return master().stream()
        .map(GetJobResponse::getWorld)
        .filter(world -> !world.getReforming())
        .flatMap(world -> world.getMembersList().stream())
        .map(member -> name + "-" + member)
        .toList();
  }

  /// Waits until so many run, and until something is done then.
  void awaitWorkers(int size, Duration bound) {
    await(size + " workers", bound, () -> running("worker").size() == size);
    awaitProgress(bound);
  }

  /// Waits until more records are done than now.
  void awaitProgress(Duration bound) {
    awaitRecords(recordsDone(bound), bound);
  }

  /// Waits until more records are done than those.
  void awaitRecords(long beyond, Duration bound) {
    await(
        "more than %,d records".formatted(beyond),
        bound,
        () -> master().map(job -> recordsDone(job) > beyond).orElse(false));
  }

  /// Waits until more records are done than now, by the word of the master there alone.
  void awaitProgressOf(MasterLocation there, Duration bound) {
    long before =
        recordsDone(
            await("an answer", bound, () -> master(there), Optional::isPresent).orElseThrow());
    await(
        "more than %,d records".formatted(before),
        bound,
        () -> master(there).map(job -> recordsDone(job) > before).orElse(false));
  }

  void await(String what, Duration bound, Supplier<Boolean> until) {
    boolean unused = await(what, bound, until, found -> found);
  }

  /// Looks until what is seen is what is wanted, and returns that.
  <T> T await(String what, Duration bound, Supplier<T> look, Predicate<T> wanted) {
    return Awaitility.await(what + " of " + namespace + "/" + name)
        .atMost(bound)
        .pollInterval(LOOK)
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(look::get, wanted);
  }
}

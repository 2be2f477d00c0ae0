package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.WorkerStatus;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A job's NetworkPolicy, by what gets through: connections between real pods, on a cluster that
/// enforces it.
class NetworkPolicyIT {
  private static final int PORT = 7077;

  /// One where nobody listens, which a policy does not let on to find out.
  private static final int OTHER_PORT = 7078;

  private static final String REACHED = "reached";

  /// A policy's word; where nobody listens it is ECONNREFUSED.
  private static final String REFUSED = "EHOSTUNREACH";

  private static final String KNOCK =
      """
      import errno, socket, sys
      try:
          socket.create_connection((sys.argv[1], int(sys.argv[2])), 10).close()
          print("reached")
      except OSError as e:
          print(errno.errorcode.get(e.errno, e))
      """;

  private static final String BYSTANDER =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: bystander, labels: {%s}}
      spec:
        automountServiceAccountToken: false
        terminationGracePeriodSeconds: 0
        securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
        containers:
          - name: main
            image: pliant.local/python:1
            command: [python3, -c, "import signal; signal.pause()"]
            securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
      """;

  /// For what `e2e/cluster/enforce` does; it builds nothing that `up` has not built.
  private static final Duration BOUND = Duration.ofMinutes(5);

  /// Go fetches and builds what the tests of its part need, once on a machine.
  private static final Duration BUILD = Duration.ofMinutes(20);

  /// Fetches first, and tries that again: one hiccup of the network is no reason to give up.
  private static final String GO_TEST =
      """
      . ./settings.sh
      cd kube
      PATH=$PATH:/usr/local/go/bin
      thrice timeout 300 go list -deps -test ./policies >/dev/null || fail "Go modules cannot be fetched"
      exec go test -trimpath -count=1 -v ./policies
      """;

  private static final Path CLUSTER = Commands.root().resolve("e2e/cluster");

  @TempDir Path folder;

  /// As long as it is open, the cluster enforces policies: for all of its pods.
  private record Enforcement() implements AutoCloseable {
    static Enforcement begin() {
      Commands.run(Commands.root(), Map.of(), BOUND, CLUSTER.resolve("enforce").toString())
          .orThrow("e2e/cluster/enforce");
      return new Enforcement();
    }

    /// What it has told the node's kernel.
    static Commands.Result rules() {
      return Commands.run(
          Commands.root(),
          Map.of(),
          BOUND,
          "nsenter",
          "--net=/run/netns/pliant",
          "iptables",
          "-w",
          "-S",
          "PLIANT-POLICIES");
    }

    @Override
    public void close() {
      Commands.run(
              Commands.root(),
              Map.of(),
              BOUND,
              CLUSTER.resolve("stop").toString(),
              "network-policies")
          .orThrow("e2e/cluster/stop network-policies");
    }
  }

  /// A pod that has Python, and tries to get somewhere.
  private record Visitor(RealCluster cluster, String namespace, String pod) {
    /// `reached`, or the name of the error that a connection ends with.
    String at(String host, int port) {
      return cluster
          .kubectl(
              "-n",
              namespace,
              "exec",
              pod,
              "-c",
              "main",
              "--",
              "python3",
              "-c",
              KNOCK,
              host,
              Integer.toString(port))
          .orThrow("kubectl exec")
          .output()
          .strip();
    }
  }

  @Test
  void onlyAJobsOwnPodsReachItsMaster() throws Exception {
    RealCluster cluster = RealCluster.ready();
    try (PacedJobs jobs = PacedJobs.in(cluster, "policy", folder)) {
      String elsewhere = jobs.namespace() + "-other";
      cluster.restrictedNamespace(elsewhere);
      try {
        ClusterJob a = jobs.start("a", "ElasticJobScaler", 1);
        ClusterJob b = jobs.start("b", "ElasticJobScaler", 1);
        List<Visitor> strangers =
            List.of(
                new Visitor(cluster, jobs.namespace(), "b-worker-0"),
                bystander(cluster, jobs.namespace(), ""),
                bystander(cluster, elsewhere, "pliant.dev/job: a, pliant.dev/role: worker"));
        everybodyReaches(a, strangers);
        try (Enforcement _ = Enforcement.begin()) {
          jobs.say("policies are enforced");
          onlyItsOwnReach(a, strangers);
          thisMachineDoesNot(a);
          growsAndTrains(cluster, jobs, a);
          hasAnotherMaster(cluster, jobs, a, strangers);
          leavesNothing(cluster, jobs, a);
        }
        assertThat(Enforcement.rules().exit()).as("what is left of rules").isNotZero();
        everybodyReaches(b, strangers);
        jobs.finish(b);
      } finally {
        cluster.remove(elsewhere);
      }
    }
  }

  /// So it is the policy that shuts them out later, and nothing else.
  private static void everybodyReaches(ClusterJob job, List<Visitor> visitors) {
    for (Visitor visitor : visitors) {
      for (String address : addresses(job)) {
        assertThat(visitor.at(address, PORT)).as("%s at %s", visitor, address).isEqualTo(REACHED);
      }
    }
  }

  private static void onlyItsOwnReach(ClusterJob job, List<Visitor> strangers) {
    Visitor own =
        new Visitor(
            job.cluster(),
            job.namespace(),
            job.running("worker").getFirst().getMetadata().getName());
    for (String address : addresses(job)) {
      assertThat(own.at(address, PORT)).as("%s at %s", own, address).isEqualTo(REACHED);
      for (Visitor stranger : strangers) {
        assertThat(stranger.at(address, PORT)).as("%s at %s", stranger, address).isEqualTo(REFUSED);
      }
    }
    assertThat(own.at(master(job).getStatus().getPodIP(), OTHER_PORT))
        .as("its own worker at another port")
        .isEqualTo(REFUSED);
  }

  /// Where its master is found: by its Service and by its own address.
  private static List<String> addresses(ClusterJob job) {
    return List.of(job.name() + "-master." + job.namespace(), master(job).getStatus().getPodIP());
  }

  private static Pod master(ClusterJob job) {
    return job.running("master").getLast();
  }

  /// It reaches pods and Services by their addresses, and is none of the cluster's.
  private static void thisMachineDoesNot(ClusterJob job) {
    String service =
        job.cluster()
            .client()
            .services()
            .inNamespace(job.namespace())
            .withName(job.name() + "-master")
            .require()
            .getSpec()
            .getClusterIP();
    for (String address : List.of(service, master(job).getStatus().getPodIP())) {
      assertThatThrownBy(
              () -> {
                try (Socket socket = new Socket()) {
                  socket.connect(new InetSocketAddress(address, PORT), 10_000);
                }
              })
          .as("this machine at %s", address)
          .isInstanceOf(NoRouteToHostException.class);
    }
  }

  private static void growsAndTrains(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    cluster
        .kubectl("-n", job.namespace(), "scale", "elasticjob/" + job.name(), "--replicas=2")
        .orThrow("kubectl scale");
    awaitWork(job, "worker-1", 0);
    assertThat(Readiness.isPodReady(master(job))).as("its master is ready").isTrue();
    jobs.say("a worker has come and trains");
  }

  /// The kubelet finds it ready, its workers find it by its Service, and it is protected as well.
  private static void hasAnotherMaster(
      RealCluster cluster, PacedJobs jobs, ClusterJob job, List<Visitor> strangers) {
    String before = master(job).getMetadata().getUid();
    cluster.client().resource(master(job)).delete();
    job.await(
        "another master that is ready",
        PacedJobs.BOUND,
        () ->
            job.running("master").stream()
                .anyMatch(pod ->
                    !pod.getMetadata().getUid().equals(before) && Readiness.isPodReady(pod)));
    for (String worker : List.of("worker-0", "worker-1")) {
      awaitWork(job, worker, shardsDone(job, worker));
    }
    onlyItsOwnReach(job, strangers);
    jobs.say("another master has taken over");
  }

  private static void leavesNothing(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    String ours = job.namespace() + "/" + job.name() + "-";
    assertThat(Enforcement.rules().output()).contains(ours);
    cluster
        .kubectl("-n", job.namespace(), "delete", "elasticjob", job.name(), "--timeout=120s")
        .orThrow("kubectl delete");
    job.await(
        "the end of all pods and policies",
        PacedJobs.BOUND,
        () ->
            Set.of("master", "worker").stream().allMatch(role -> job.pods(role).isEmpty())
                && cluster
                        .client()
                        .network()
                        .v1()
                        .networkPolicies()
                        .inNamespace(job.namespace())
                        .withName(job.name() + "-master")
                        .get()
                    == null);
    job.await(
        "the end of all rules",
        PacedJobs.BOUND,
        () -> !Enforcement.rules().orThrow("iptables -S").output().contains(ours));
    jobs.say("nothing is left of a deleted job");
  }

  private static void awaitWork(ClusterJob job, String worker, long beyond) {
    job.await(
        "more than %d shards of %s".formatted(beyond, worker),
        PacedJobs.BOUND,
        () -> shardsDone(job, worker) > beyond);
  }

  private static long shardsDone(ClusterJob job, String worker) {
    return heard(job).stream()
        .flatMap(said -> said.getWorkersList().stream())
        .filter(status -> status.getLive() && status.getName().startsWith(worker))
        .mapToLong(WorkerStatus::getShardsDone)
        .sum();
  }

  /// What the master says by a forwarded port, which is how people get through; nothing while none
  /// answers.
  private static Optional<GetJobResponse> heard(ClusterJob job) {
    if (!(job.masterLocation().orElse(null) instanceof MasterLocation.Fixed there)) {
      return Optional.empty();
    }
    try (LocalPortForward forward =
            job.cluster()
                .client()
                .pods()
                .inNamespace(job.namespace())
                .withName(master(job).getMetadata().getName())
                .portForward(PORT, InetAddress.getLoopbackAddress(), 0);
        MasterConnection connection =
            new MasterConnection(
                new MasterLocation.Fixed(
                    "127.0.0.1:" + forward.getLocalPort(), there.caPem(), there.token()))) {
      return Optional.of(
          connection.jobs(Duration.ofSeconds(5)).getJob(GetJobRequest.getDefaultInstance()));
    } catch (StatusRuntimeException | PliantException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// @param labels as YAML
  private Visitor bystander(RealCluster cluster, String namespace, String labels)
      throws IOException {
    Path file = Files.writeString(folder.resolve(namespace + ".yaml"), BYSTANDER.formatted(labels));
    cluster.kubectl("-n", namespace, "apply", "-f", file.toString()).orThrow("kubectl apply");
    cluster
        .kubectl("-n", namespace, "wait", "--for=condition=Ready", "--timeout=90s", "pod/bystander")
        .orThrow("kubectl wait");
    return new Visitor(cluster, namespace, "bystander");
  }

  /// The part that enforces policies is the tests' own: what it makes of them is judged by a reader
  /// of policies that is not.
  @Test
  @Timeout(value = 25, unit = TimeUnit.MINUTES) // More than BUILD, which says what took so long.
  void policiesAreReadAsOthersReadThem() {
    Needs.that(Go.isThere(), "Go, which builds the part that enforces policies");
    Commands.run(CLUSTER, Map.of("CGO_ENABLED", "0"), BUILD, "bash", "-c", GO_TEST)
        .orThrow("go test");
  }
}

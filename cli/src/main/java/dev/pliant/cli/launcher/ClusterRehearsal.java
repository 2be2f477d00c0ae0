package dev.pliant.cli.launcher;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pliant.cli.Main;
import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterLocation;
import dev.pliant.rpc.identity.JobCertificate;
import dev.pliant.rpc.identity.ServerIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// Goes through the commands that act on a cluster, with a server in its place that knows one job
/// and answers as an API server would.
final class ClusterRehearsal {
  private static final String JOB =
      """
      {"apiVersion": "elastic.iml.github.io/v1alpha1", "kind": "ElasticJob",
       "metadata": {"name": "rehearsal", "namespace": "default", "uid": "u",
         "creationTimestamp": "2026-01-01T00:00:00Z"},
       "spec": {"replicaSpecs": {"worker": {"replicas": 1, "template": {"spec": {"containers": [
         {"name": "main", "image": "i", "command": ["x"]}]}}}}},
       "status": {"phase": "Running", "ready": "1/1", "readyReplicas": 1, "master": "rehearsal-master-0",
         "conditions": [{"type": "Ready", "status": "True", "reason": "Trains", "message": "m",
           "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
      """;

  private static final String POD =
      """
      {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "rehearsal-worker-0", "namespace": "default", "uid": "p",
         "creationTimestamp": "2026-01-01T00:00:00Z",
         "labels": {"pliant.dev/job": "rehearsal", "pliant.dev/role": "worker", "pliant.dev/node": "worker-0"}},
       "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]},
       "status": {"phase": "Running", "containerStatuses": [{"name": "main", "restartCount": 0,
         "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}
      """;

  private static final String EVENT =
      """
      {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default", "uid": "e"},
       "involvedObject": {"kind": "Pod", "name": "rehearsal-worker-0"}, "type": "Normal", "reason": "Started",
       "message": "m", "count": 1, "lastTimestamp": "2026-01-01T00:00:00Z"}
      """;

  private static final String SCALE =
      """
      {"apiVersion": "autoscaling/v1", "kind": "Scale",
       "metadata": {"name": "rehearsal", "namespace": "default"}, "spec": {"replicas": 1}}
      """;

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("get"),
          List.of("get", "-o", "json"),
          List.of("describe", "rehearsal"),
          List.of("events", "rehearsal"),
          List.of("logs", "rehearsal"),
          List.of("scale", "rehearsal", "--workers", "1"));

  private ClusterRehearsal() {}

  static String commands(Path folder) throws IOException {
    Files.createDirectories(folder);
    JobCertificate made =
        JobCertificate.make(
            new JobId("default", "rehearsal"),
            List.of("127.0.0.1"),
            Instant.now(),
            new SecureRandom());
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try {
      server.setHttpsConfigurator(new HttpsConfigurator(tls(folder, made)));
      server.createContext("/", ClusterRehearsal::answer);
      server.start();
      Path kubeconfig = kubeconfig(folder, server.getAddress().getPort(), made);
      StringBuilder said = new StringBuilder("cluster:");
      for (List<String> command : COMMANDS) {
        List<String> arguments =
            Stream.concat(command.stream(), Stream.of("--kubeconfig", kubeconfig.toString()))
                .toList();
        said.append(' ').append(Main.execute(arguments.toArray(String[]::new)));
      }
      askNobody(server.getAddress().getPort(), made);
      return said.toString();
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    } finally {
      server.stop(0);
    }
  }

  /// Goes as far as one comes with a master without one: to the end of the handshake.
  private static void askNobody(int port, JobCertificate made) {
    MasterLocation location =
        new MasterLocation.Fixed("127.0.0.1:" + port, Optional.of(made.authority()), "token");
    try (JobClient client = new JobClient(location)) {
      Optional<JobSnapshot> unused = client.get(Duration.ofMillis(300));
    }
  }

  private static SSLContext tls(Path folder, JobCertificate made)
      throws GeneralSecurityException, IOException {
    Path certificate = Files.writeString(folder.resolve("server.pem"), made.certificate());
    Path key = Files.writeString(folder.resolve("server.key"), made.privateKey());
    ServerIdentity identity = ServerIdentity.read(certificate, key);
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "server", identity.privateKey(), new char[0], new Certificate[] {identity.certificate()});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static Path kubeconfig(Path folder, int port, JobCertificate made) throws IOException {
    String authority =
        Base64.getEncoder().encodeToString(made.authority().getBytes(StandardCharsets.US_ASCII));
    return Files.writeString(
        folder.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: "%s"}}]
        users: [{name: u, user: {token: t}}]
        contexts: [{name: c, context: {cluster: c, user: u}}]
        current-context: c
        """
            .formatted(port, authority));
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String body = body(path.substring(path.lastIndexOf('/') + 1));
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(
        body.startsWith("{\"kind\": \"Status\"") ? 404 : 200, bytes.length);
    try (exchange) {
      exchange.getResponseBody().write(bytes);
    }
  }

  /// @param last the last part of the path
  private static String body(String last) {
    return switch (last) {
      case "elasticjobs" -> list("ElasticJobList", "elastic.iml.github.io/v1alpha1", JOB);
      case "rehearsal" -> JOB;
      case "pods" -> list("PodList", "v1", POD);
      case "events" -> list("EventList", "v1", EVENT);
      case "scaleplans" -> list("ScalePlanList", "elastic.iml.github.io/v1alpha1", "");
      case "jobresources" -> list("JobResourceList", "elastic.easydl.org/v1alpha1", "");
      case "scale" -> SCALE;
      case "log" -> "2026-01-01T00:00:00.5Z a line\n";
      default ->
          "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"code\": 404, \"message\": \"not found\"}";
    };
  }

  private static String list(String kind, String version, String items) {
    return "{\"kind\": \"%s\", \"apiVersion\": \"%s\", \"metadata\": {}, \"items\": [%s]}"
        .formatted(kind, version, items);
  }
}

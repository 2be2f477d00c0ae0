package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.kubernetes.JobInfos.Heard;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.rpc.MasterLocation;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.LocalPortForward;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The way to a job's master from outside its cluster: through the API server to the master's pod,
/// let in by the token in the job's Secret. It serves whoever may read that Secret and forward
/// ports; everybody else sees what the cluster has written down.
final class MasterTunnel implements AutoCloseable {
  /// How long a master may take to answer a command that shows what there is.
  static final Duration PATIENCE = Duration.ofSeconds(4);

  private final LocalPortForward forward;
  private final JobClient client;

  private MasterTunnel(LocalPortForward forward, JobClient client) {
    this.forward = forward;
    this.client = client;
  }

  /// What the job's master says now, if it runs.
  static Heard ask(Cluster cluster, ElasticJobResource job) {
    State state = JobInfos.state(job);
    String pod = JobInfos.status(job).master();
    if (!state.running() || pod == null || pod.isEmpty()) {
      return Heard.NOTHING;
    }
    try (MasterTunnel tunnel = open(cluster, JobNames.of(job), pod)) {
      return tunnel
          .client
          .get(PATIENCE)
          .map(snapshot -> new Heard(Optional.of(snapshot), ""))
          .orElseGet(() -> Heard.silence("the master in pod %s does not answer".formatted(pod)));
    } catch (Closed e) {
      return Heard.silence(String.valueOf(e.getMessage()));
    }
  }

  /// Opens it; whether anybody answers at its end is seen by asking.
  ///
  /// @throws Closed where the user may not, or there is nothing to open
  static MasterTunnel open(Cluster cluster, JobNames names, String pod) throws Closed {
    Secret secret;
    try {
      secret =
          cluster.client().secrets().inNamespace(names.namespace()).withName(names.secret()).get();
    } catch (KubernetesClientException e) {
      throw new Closed(
          e.getCode() == 403
              ? "you may not read the Secret " + names.secret()
              : "the Secret %s cannot be read: %s"
                  .formatted(names.secret(), ClusterFaults.sentence(e)));
    }
    if (secret == null || secret.getData() == null) {
      throw new Closed("there is no Secret " + names.secret());
    }
    MasterLocation location;
    LocalPortForward forward;
    try {
      forward =
          cluster
              .client()
              .pods()
              .inNamespace(names.namespace())
              .withName(pod)
              .portForward(JobNames.MASTER_PORT, InetAddress.getLoopbackAddress(), 0);
      location =
          new MasterLocation.Fixed(
              "127.0.0.1:" + forward.getLocalPort(),
              Optional.of(text(secret.getData(), JobNames.AUTHORITY_KEY)),
              text(secret.getData(), JobNames.TOKEN_KEY).strip());
    } catch (KubernetesClientException e) {
      throw new Closed(
          "no port of the pod %s can be forwarded: %s".formatted(pod, ClusterFaults.sentence(e)));
    }
    return new MasterTunnel(forward, new JobClient(location));
  }

  private static String text(Map<String, String> data, String key) {
    @Nullable String value = data.get(key);
    return value == null
        ? ""
        : new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
  }

  JobClient client() {
    return client;
  }

  @Override
  public void close() {
    client.close();
    try {
      forward.close();
    } catch (IOException e) {
      // What was asked has been answered; the port goes with this process at the latest.
    }
  }

  /// There is no way to the master, and why.
  static final class Closed extends Exception {
    private static final long serialVersionUID = 1L;

    Closed(String why) {
      super(why);
    }
  }
}

package dev.pliant.cli.kubernetes;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// What a cluster refuses, in a sentence that says what to do about it.
final class ClusterFaults {
  /// What the API server says of a path that no resource has.
  private static final String NO_SUCH_RESOURCE = "could not find the requested resource";

  private ClusterFaults() {}

  /// @param what was tried, as in "list the jobs"
  /// @param cluster its name, for people
  static PliantException of(KubernetesClientException fault, String what, String cluster) {
    String said = sentence(fault);
    return switch (fault.getCode()) {
      case 401 ->
          made(
              ErrorCode.NOT_ALLOWED,
              fault,
              "the cluster at %s does not know you; your kubeconfig's credentials may have expired.",
              cluster);
      case 403 ->
          made(
              ErrorCode.NOT_ALLOWED,
              fault,
              "you may not %s: %s Ask whoever runs the cluster at %s for that right.",
              what,
              said,
              cluster);
      case 404 ->
          unknownResource(fault)
              ? made(
                  ErrorCode.NOT_INSTALLED,
                  fault,
                  "the cluster at %s knows no ElasticJobs: Pliant is not installed there. Install it as deploy/README.md says.",
                  cluster)
              : made(
                  ErrorCode.UNKNOWN_JOB, fault, "cannot %s: %s%s", what, said, ofNamespace(fault));
      case 409 -> made(ErrorCode.JOB_EXISTS, fault, "cannot %s: %s", what, said);
      case 400, 413, 422 ->
          made(ErrorCode.BAD_JOB_FILE, fault, "cannot %s; the cluster refuses it: %s", what, said);
      case 0, -1 -> away(fault, cluster);
      default ->
          made(
              ErrorCode.NO_CLUSTER,
              fault,
              "cannot %s: the cluster at %s answers with code %d: %s",
              what,
              cluster,
              fault.getCode(),
              said);
    };
  }

  /// Whether the cluster knows no such kind of object, which is another thing than an object that
  /// is not there.
  static boolean unknownResource(KubernetesClientException fault) {
    Status status = fault.getStatus();
    return status == null
        || status.getMessage() == null
        || status.getMessage().contains(NO_SUCH_RESOURCE)
        || status.getMessage().contains("page not found");
  }

  /// What to do where it is the namespace that is missing.
  private static String ofNamespace(KubernetesClientException fault) {
    StatusDetails details = fault.getStatus() == null ? null : fault.getStatus().getDetails();
    return details == null || !"namespaces".equals(details.getKind())
        ? ""
        : " Make it with 'kubectl create namespace %s', or name another with --namespace."
            .formatted(details.getName());
  }

  /// Whether nothing is wrong but that a webhook of the cluster's has side effects, so that nothing
  /// can be tried out there.
  static boolean knowsNoDryRun(KubernetesClientException fault) {
    return fault.getCode() == 400 && sentence(fault).contains("does not support dry run");
  }

  /// What keeps the connection from being used, without a full stop.
  static String broken(Throwable fault) {
    return switch (root(fault)) {
      case UnknownHostException _ -> "its name is not known";
      case ConnectException _ -> "nobody listens there";
      case HttpTimeoutException _ -> "it does not answer in time";
      case TimeoutException _ -> "it does not answer in time";
      case SSLException e -> "its certificate is not accepted: " + e.getMessage();
      case IOException e when e.getMessage() != null -> e.getMessage();
      default -> fault.getMessage() == null ? fault.getClass().getSimpleName() : fault.getMessage();
    };
  }

  private static PliantException away(KubernetesClientException fault, String cluster) {
    return made(
        ErrorCode.NO_CLUSTER,
        fault,
        "the cluster at %s cannot be reached: %s. Is it up, and is it the one you mean? --kubeconfig and --context choose another; --on local means this machine.",
        cluster,
        broken(fault));
  }

  /// A kubeconfig that names a certificate or a key that is none.
  ///
  /// @param kubeconfig what it is called, for people
  static String brokenCredentials(Throwable fault, String kubeconfig) {
    return "%s cannot be used: a certificate or key that it names cannot be read (%s). Get a new one from whoever runs the cluster, or choose another with --kubeconfig or --context."
        .formatted(kubeconfig, root(fault).getMessage());
  }

  /// A file that is no kubeconfig at all.
  ///
  /// @param kubeconfig what it is called, for people
  static String noKubeconfig(Throwable fault, String kubeconfig) {
    String why = String.valueOf(root(fault).getMessage()).lines().findFirst().orElse("");
    return "%s cannot be used: it is no kubeconfig (%s). Mend it, or choose another with --kubeconfig."
        .formatted(kubeconfig, why.strip());
  }

  /// The innermost cause that has words of its own.
  static Throwable root(Throwable fault) {
    Throwable cause = fault;
    for (int depth = 0; depth < 20 && cause.getCause() != null; depth++) {
      if (cause instanceof ConnectException || cause instanceof SSLException) {
        return cause; // What lies below has no words of its own.
      }
      cause = Objects.requireNonNull(cause.getCause());
    }
    return cause;
  }

  /// What the server itself said, with a full stop.
  static String sentence(KubernetesClientException fault) {
    @Nullable Status status = fault.getStatus();
    String said =
        status == null || status.getMessage() == null
            ? String.valueOf(fault.getMessage())
            : status.getMessage();
    String line = said.replaceAll("\\s*\\R\\s*", " ").strip();
    return line.endsWith(".") ? line : line + ".";
  }

  private static PliantException made(
      ErrorCode code, Throwable cause, String message, Object... values) {
    return new PliantException(code, message.formatted(values), cause);
  }
}

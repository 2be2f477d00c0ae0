package dev.pliant.cli.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;

/// What it means that the log of a pod could not be read.
enum LogTrouble {
  /// This user may not, nor will it be allowed the next time.
  REFUSED,
  /// The pod is gone, and its log with it.
  GONE,
  /// The cluster is away, and with it all logs.
  AWAY,
  /// The cluster answers, but takes nothing on: its API server starts, or has too much to do.
  BUSY,
  /// It is this log alone: the machine where it lies does not answer, for instance.
  UNREADABLE;

  static LogTrouble of(KubernetesClientException fault) {
    return switch (fault.getCode()) {
      case 401, 403 -> REFUSED;
      case 404 -> GONE;
      case 429, 503 -> BUSY;
      case 0, -1 -> neverReached(fault) ? AWAY : UNREADABLE;
      default -> UNREADABLE;
    };
  }

  private static boolean neverReached(KubernetesClientException fault) {
    return switch (ClusterFaults.root(fault)) {
      case ConnectException _ -> true;
      case UnknownHostException _ -> true;
      case SSLException _ -> true;
      default -> false;
    };
  }
}

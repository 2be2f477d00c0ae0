package dev.pliant.operator.cluster;

import dev.pliant.kubernetes.PodSecurity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Which namespaces demand Pod Security's `restricted` of their pods. Asked when a pod is made, and
/// then for a while taken as known.
final class NamespaceSecurity {
  private static final Duration KNOWN = Duration.ofSeconds(30);

  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final KubernetesClient client;
  private final InstantSource clock;

  private record Answer(boolean restricted, Instant until) {}

  NamespaceSecurity(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  boolean restricted(String namespace) {
    Instant now = clock.instant();
    Answer known = answers.get(namespace);
    if (known == null || known.until.isBefore(now)) {
      known = new Answer(ask(namespace), now.plus(KNOWN));
      answers.put(namespace, known);
    }
    return known.restricted;
  }

  /// An operator that may not see namespaces leaves users' containers alone.
  private boolean ask(String namespace) {
    try {
      return PodSecurity.isEnforcedIn(client.namespaces().withName(namespace).get());
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return false;
      }
      throw e;
    }
  }
}

package dev.pliant.operator;

import static java.net.HttpURLConnection.HTTP_FORBIDDEN;

import dev.pliant.crds.api.ElasticJobResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The namespaces that an operator looks after. With one that is deleted go the rights that it had
/// there: it is left out, for the jobs of the others are to have an operator.
final class Namespaces {
  private static final Logger log = LoggerFactory.getLogger(Namespaces.class);

  /// Rights that were just given take a moment.
  private static final Duration GIVEN = Duration.ofSeconds(10);

  private static final Duration BETWEEN = Duration.ofSeconds(1);

  private Namespaces() {}

  /// Those of `asked` in which jobs may be seen; all where that is none, for then something else is
  /// wrong, and is said when they are watched.
  static Set<String> open(KubernetesClient client, Set<String> asked) {
    if (asked.size() < 2) {
      return asked;
    }
    Set<String> closed = new TreeSet<>(asked);
    long end = System.nanoTime() + GIVEN.toNanos();
    closed.removeIf(namespace -> mayBeSeen(client, namespace));
    while (!closed.isEmpty() && System.nanoTime() < end) {
      try {
        Thread.sleep(BETWEEN);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return asked;
      }
      closed.removeIf(namespace -> mayBeSeen(client, namespace));
    }
    if (closed.isEmpty() || closed.size() == asked.size()) {
      return asked;
    }
    log.warn(
        "jobs of {} may not be seen, and have no operator; are these namespaces gone? Once they are there, start this operator again",
        closed);
    Set<String> open = new TreeSet<>(asked);
    open.removeAll(closed);
    return open;
  }

  private static boolean mayBeSeen(KubernetesClient client, String namespace) {
    try {
      return client
              .resources(ElasticJobResource.class)
              .inNamespace(namespace)
              .list(new ListOptionsBuilder().withLimit(1L).build())
          != null;
    } catch (KubernetesClientException e) {
      return e.getCode() != HTTP_FORBIDDEN; // All else is for those who watch.
    }
  }
}

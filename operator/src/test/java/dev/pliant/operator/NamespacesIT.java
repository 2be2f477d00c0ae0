package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// An operator that looks after several namespaces.
final class NamespacesIT {
  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: here}
      spec:
        worker:
          template:
            spec:
              containers: [{name: main, image: "pliant.local/busybox:1", command: [sleep, "3600"]}]
      """;

  /// With a namespace that is deleted an operator loses its rights there.
  @Test
  void oneThatIsGoneTakesTheOperatorFromNobodyElse() throws Exception {
    try (ClusterRoom room = ClusterRoom.withoutOperator("many")) {
      PliantOperator operator =
          room.startOperator(Set.of(room.namespace, room.namespace + "-gone"), false, "it");

      room.create(JOB);

      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(room.pods("here")).containsExactly("here-master-0"));
      URI health = URI.create("http://127.0.0.1:%d/healthz".formatted(operator.healthPort()));
      try (HttpClient http = HttpClient.newHttpClient()) {
        assertThat(
                http.send(
                        HttpRequest.newBuilder(health).build(),
                        HttpResponse.BodyHandlers.ofString())
                    .statusCode())
            .isEqualTo(200);
      }
    }
  }
}

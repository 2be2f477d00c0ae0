package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.machine.nodes.Rest;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobRestsTest {
  private static final String THEN = "2026-03-01T12:00:00Z";
  private static final long NOW = Instant.parse(THEN).toEpochMilli() + 5_000;

  @ParameterizedTest(name = "suspend {0}, condition {1}: {2}")
  @CsvSource({
    "null,  none,    never",
    "false, none,    never",
    "true,  none,    rests",
    "true,  Unknown, rests",
    "true,  True,    rests",
    "true,  False,   rests",
    "false, False,   then",
    // The operator has yet to say that it goes on.
    "false, Unknown, now",
    "false, True,    now",
    "null,  True,    now",
  })
  void readsWhetherAJobRests(String suspend, String condition, String expected) {
    String conditions =
        condition.equals("none")
            ? ""
            : "{type: Suspended, status: '%s', lastTransitionTime: '%s'}"
                .formatted(condition, THEN);
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            ---
            {apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob,
             metadata: {name: digits, namespace: team-a}, spec: {suspend: %s},
             status: {conditions: [%s]}}
            """
                .formatted(suspend, conditions),
            ElasticJobResource.class);

    assertThat(JobRests.of(job, NOW))
        .isEqualTo(
            switch (expected) {
              case "rests" -> new Rest(true, 0);
              case "then" -> new Rest(false, NOW - 5_000);
              case "now" -> new Rest(false, NOW);
              default -> Rest.NONE;
            });
  }
}

package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClusterStopTest {
  private static final Calling THERE = new Calling("pliant", List.of("--on kubernetes"), "default");
  private static final ElasticJobResource BEFORE = job("u-1", "Running");

  @Test
  void waitsUntilTheJobIsSuspendedOrOver() {
    assertThat(ClusterJobs.stopped(BEFORE, Optional.of(job("u-1", "Stopping")), THERE)).isEmpty();
    assertThat(ClusterJobs.stopped(BEFORE, Optional.of(job("u-1", "Suspended")), THERE))
        .hasValueSatisfying(said ->
            assertThat(said)
                .isEqualTo(
                    "job team/digits is stopped; 'pliant submit FILE --resume --name digits --namespace team --on kubernetes' goes on with it."));
    assertThat(ClusterJobs.stopped(BEFORE, Optional.of(job("u-1", "Failed")), THERE))
        .hasValueSatisfying(said -> assertThat(said).contains("ended before it could be stopped"));
  }

  @Test
  void saysAtOnceThatTheJobIsGone() {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> ClusterJobs.stopped(BEFORE, Optional.empty(), THERE))
        .withMessageContaining("team/digits was deleted before it had stopped")
        .withMessageContaining("'pliant submit FILE --name digits --namespace team ");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> ClusterJobs.stopped(BEFORE, Optional.of(job("u-2", "Suspended")), THERE))
        .withMessageContaining("was deleted");
  }

  private static ElasticJobResource job(String uid, String phase) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, namespace: team, uid: %s}
        spec: {suspend: true}
        status: {phase: %s}
        """
            .formatted(uid, phase),
        ElasticJobResource.class);
  }
}

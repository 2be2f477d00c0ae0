package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.operator.decision.Obstacle;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ObstaclesTest {
  static Stream<Arguments> objects() {
    return Stream.of(
        arguments(List.of(), null, "belongs to nobody", false),
        arguments(List.of(owner("Deployment", "web")), null, "belongs to Deployment 'web'", false),
        arguments(
            List.of(owner("ElasticJob", "digits")),
            null,
            "is that of a deleted job of this name",
            true),
        arguments(
            List.of(owner("ElasticJob", "letters")),
            null,
            "belongs to ElasticJob 'letters'",
            false),
        arguments(List.of(), "2026-03-01T12:00:00Z", "is being deleted", true));
  }

  @ParameterizedTest
  @MethodSource("objects")
  void saysWhoseItIsAndWhetherItGoes(
      List<OwnerReference> owners, @Nullable String deletion, String owner, boolean going) {
    ElasticJobResource job = new ElasticJobResource();
    job.setMetadata(new ObjectMetaBuilder().withName("digits").withUid("now").build());
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName("digits-pliant")
            .withOwnerReferences(owners)
            .withDeletionTimestamp(deletion)
            .endMetadata()
            .build();

    assertThat(Obstacles.of(secret, job))
        .isEqualTo(new Obstacle("Secret", "digits-pliant", owner, going));
  }

  private static OwnerReference owner(String kind, String name) {
    return new OwnerReferenceBuilder().withKind(kind).withName(name).withUid("then").build();
  }
}

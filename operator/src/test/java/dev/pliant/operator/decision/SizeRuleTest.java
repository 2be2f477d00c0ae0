package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.of;
import static dev.pliant.operator.decision.Reactions.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.JobStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Two places say how many workers there are to be: directly under `spec`, and where `kubectl
/// scale` looks.
final class SizeRuleTest {
  private static final int NONE = SizeRule.NO_NUMBER;

  static Stream<Arguments> numbers() {
    Action filled = new Action.FillReplicas(2);
    return Stream.of(
        arguments("neither says one", "minReplicas: 2, ", "", null, filled, NONE),
        arguments("only the direct one", "replicas: 2, ", "", null, filled, 2),
        arguments("both at first sight", "replicas: 2, ", "replicas: 3", null, null, 2),
        arguments("filled and let be", "replicas: 2, ", "replicas: 2", 2, null, 2),
        arguments("scaled since", "replicas: 2, ", "replicas: 5", 2, null, 2),
        arguments(
            "the direct one changed",
            "replicas: 4, ",
            "replicas: 5",
            2,
            new Action.FollowReplicas(4),
            4),
        arguments(
            "the direct one is new",
            "replicas: 4, ",
            "replicas: 2",
            NONE,
            new Action.FollowReplicas(4),
            4),
        arguments(
            "a direct 0 says none", "replicas: 0, ", "", null, new Action.FillReplicas(1), NONE),
        arguments("a 0 that is a user's stays", "replicas: 2, ", "replicas: 0", null, null, 2),
        arguments("both are 0", "replicas: 0, ", "replicas: 0", NONE, null, NONE),
        arguments(
            "the other lies outside",
            "replicas: 2, maxReplicas: 4, ",
            "replicas: 9",
            2,
            new Action.FollowReplicas(4),
            2),
        arguments(
            "the direct one changed, and its bounds",
            "replicas: 6, minReplicas: 5, ",
            "replicas: 2",
            2,
            new Action.FollowReplicas(6),
            6),
        arguments("the direct one was taken out", "", "replicas: 5", 2, null, NONE),
        arguments("the other was taken out", "replicas: 2, ", "", 2, filled, 2));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("numbers")
  void ofTwoNumbersTheOneThatWasChangedLastCounts(
      String what,
      String direct,
      String scaled,
      @Nullable Integer remembered,
      @Nullable Action want,
      int wantRemembered) {
    Reaction reaction =
        Scene.firstSight().direct(direct, scaled).status(status(remembered)).decide();

    assertThat(sizing(reaction)).isEqualTo(want == null ? List.of() : List.of(want));
    assertThat(Objects.requireNonNull(reaction.status()).directReplicas())
        .isEqualTo(wantRemembered);
  }

  @Test
  void nothingIsFilledInBeforeTheTemplatesAreTried() {
    Reaction reaction = Scene.firstSight().workers("").tried(null).decide();

    assertThat(reaction.actions()).containsExactly(new Action.TryTemplates());
  }

  @Test
  void tellsWhoseNumberItFollows() {
    Reaction reaction =
        Scene.firstSight().direct("replicas: 4, ", "replicas: 5").status(status(2)).decide();

    assertThat(reasons(reaction)).contains("ReplicasFollowed");
  }

  @Test
  void aJobThatRestsFollowsWhenItGoesOn() {
    Reaction reaction =
        Scene.firstSight()
            .spec("suspend: true")
            .direct("replicas: 4, ", "replicas: 5")
            .status(status(2))
            .decide();

    assertThat(sizing(reaction)).isEmpty();
    assertThat(Objects.requireNonNull(reaction.status()).directReplicas()).isEqualTo(2);
  }

  @Test
  void ofWorkersInOnePlaceNothingIsRemembered() {
    Reaction reaction = Scene.firstSight().workers("replicas: 3, ").decide();

    assertThat(sizing(reaction)).isEmpty();
    assertThat(Objects.requireNonNull(reaction.status()).directReplicas()).isNull();
  }

  private static List<Action> sizing(Reaction reaction) {
    return Stream.concat(
            of(reaction, Action.FillReplicas.class).stream().map(Action.class::cast),
            of(reaction, Action.FollowReplicas.class).stream())
        .toList();
  }

  private static @Nullable JobStatus status(@Nullable Integer remembered) {
    return remembered == null
        ? null
        : Serialization.unmarshal("directReplicas: " + remembered, JobStatus.class);
  }
}

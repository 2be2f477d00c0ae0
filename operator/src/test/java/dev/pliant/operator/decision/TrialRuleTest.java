package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.condition;
import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Reactions.reasons;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// What the cluster says of a job's templates before the job begins.
final class TrialRuleTest {
  private static final Trial REFUSED =
      new Trial(
          "the cluster refuses the pod template of role 'worker': spec.containers[0].image: Required value",
          null,
          NOW.plusSeconds(60));
  private static final Trial IGNORED =
      new Trial(
          null,
          "of the pod template of role 'worker' the cluster passes over: unknown field \"spec.x\"",
          NOW);

  @Test
  void theClusterIsAskedBeforeAnythingIsMade() {
    Reaction reaction = Scene.firstSight().tried(null).decide();

    assertThat(Reactions.of(reaction, Action.TryTemplates.class)).hasSize(1);
    assertThat(Reactions.of(reaction, Action.ApplyObject.class)).isEmpty();
    assertThat(created(reaction)).isEmpty();
  }

  @Test
  void aJobWhoseTemplateIsRefusedDoesNotBeginAndSaysWhy() {
    Scene scene = Scene.firstSight().tried(REFUSED);

    Reaction reaction = scene.decide();

    assertThat(Reactions.of(reaction, Action.ApplyObject.class)).isEmpty();
    assertThat(created(reaction)).isEmpty();
    assertThat(condition(reaction, "Accepted"))
        .satisfies(accepted -> {
          assertThat(accepted.getStatus()).isEqualTo("False");
          assertThat(accepted.getReason()).isEqualTo("TemplateRefused");
        });
    assertThat(Objects.requireNonNull(reaction.status()).message())
        .isEqualTo(
            "The cluster refuses the pod template of role 'worker': spec.containers[0].image: Required value.");
    assertThat(reasons(reaction)).contains("TemplateRefused");
    assertThat(reaction.lookAgainAt()).isEqualTo(NOW.plusSeconds(60));
    assertThat(reasons(scene.status(reaction.status()).decide())).as("told once").isEmpty();
  }

  @Test
  void itIsTriedAgainWhenItIsTime() {
    Reaction reaction = Scene.firstSight().tried(REFUSED).later(Duration.ofSeconds(60)).decide();

    assertThat(Reactions.of(reaction, Action.TryTemplates.class)).hasSize(1);
  }

  @Test
  void whatIsPassedOverIsSaidAndTheJobBegins() {
    Scene scene = Scene.firstSight().tried(IGNORED);

    Reaction reaction = scene.decide();

    assertThat(created(reaction)).containsExactly("master-0");
    assertThat(condition(reaction, "Accepted"))
        .satisfies(accepted -> {
          assertThat(accepted.getStatus()).isEqualTo("True");
          assertThat(accepted.getReason()).isEqualTo("UnknownFields");
          assertThat(accepted.getMessage()).contains("unknown field \"spec.x\"");
        });
    assertThat(reasons(reaction)).contains("UnknownFields");
    Reaction later = scene.status(reaction.status()).tried(null).decide();
    assertThat(condition(later, "Accepted").getReason())
        .as("an operator that was started since has not asked")
        .isEqualTo("UnknownFields");
  }

  @Test
  void aJobThatHasBegunIsAskedAboutOnceItIsChanged() {
    Scene scene = Scene.running();
    scene.status(scene.decide().status());

    Reaction changed = scene.generations(2, 2).tried(null).decide();
    assertThat(Reactions.of(changed, Action.TryTemplates.class)).hasSize(1);

    Reaction tried = scene.tried(REFUSED).decide();
    assertThat(condition(tried, "Accepted").getReason()).isEqualTo("TemplateRefused");
    assertThat(deleted(tried)).as("what runs goes on").isEmpty();
    assertThat(tried.lookAgainAt()).isEqualTo(NOW.plusSeconds(60));
    Reaction anew = scene.status(tried.status()).tried(null).decide();
    assertThat(Reactions.of(anew, Action.TryTemplates.class))
        .as("a new operator asks, too")
        .hasSize(1);
  }

  @Test
  void aJobThatHasBegunIsNotAskedAbout() {
    Reaction reaction = Scene.running().tried(null).decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(condition(reaction, "Accepted").getReason()).isEqualTo("Accepted");
  }
}

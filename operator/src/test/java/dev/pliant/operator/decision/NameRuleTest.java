package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.condition;
import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.reasons;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.operator.decision.PodView.Stage;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class NameRuleTest {
  private static final Obstacle SECRET =
      new Obstacle("Secret", "digits-pliant", "belongs to nobody", false);
  private static final Obstacle SERVICE =
      new Obstacle("Service", "digits", "belongs to Deployment 'web'", false);
  private static final Obstacle LEFT =
      new Obstacle("Secret", "digits-pliant", "is that of a deleted job of this name", true);

  private static Scene foreignSecret(Obstacle obstacle) {
    return Scene.firstSight().object(JobObject.SECRET, Presence.FOREIGN).inTheWay(obstacle);
  }

  @Test
  void saysOnceWhatIsInTheWayAndWhatToDo() {
    Scene scene = foreignSecret(SECRET);
    Reaction first = scene.decide();
    Reaction second = scene.status(first.status()).later(Duration.ofSeconds(2)).decide();

    assertThat(condition(first, "NamesFree"))
        .satisfies(condition -> {
          assertThat(condition.getStatus()).isEqualTo("False");
          assertThat(condition.getReason()).isEqualTo("NameTaken");
          assertThat(condition.getMessage())
              .isEqualTo(
                  "In the way by its name: Secret 'digits-pliant' (it belongs to nobody). It is left"
                      + " alone, and the job waits. Delete it (kubectl -n team delete secret"
                      + " digits-pliant), or give the job another name.");
        });
    assertThat(Objects.requireNonNull(first.status()).message())
        .isEqualTo(condition(first, "NamesFree").getMessage());
    assertThat(reasons(first)).containsExactly("NameTaken");
    assertThat(first.notices().getFirst().kind()).isEqualTo(Notice.Kind.WARNING);
    assertThat(second.notices()).isEmpty();
    assertThat(second.news()).isEqualTo(Reaction.News.NONE);
  }

  @Test
  void anotherObjectInTheWayIsNews() {
    Reaction first = foreignSecret(SECRET).decide();
    Reaction second =
        Scene.firstSight()
            .status(first.status())
            .refused("nodes service", SERVICE, NOW.plusSeconds(4))
            .decide();

    assertThat(reasons(second)).contains("NameTaken");
    assertThat(condition(second, "NamesFree").getMessage())
        .contains("Service 'digits' (it belongs to Deployment 'web')")
        .doesNotContain("Secret");
    assertThat(condition(second, "PodsReady").getReason()).isEqualTo("NoPlan");
  }

  @Test
  void whatGoesByItselfIsTroubleOnlyWhenItStays() {
    Scene scene = foreignSecret(LEFT);
    Reaction first = scene.decide();

    assertThat(condition(first, "NamesFree").getReason()).isEqualTo("BeingCollected");
    assertThat(condition(first, "NamesFree").getMessage()).contains("Secret 'digits-pliant'");
    assertThat(first.notices()).isEmpty();
    assertThat(first.lookAgainAt()).isEqualTo(NOW.plusSeconds(2));

    Reaction late = scene.status(first.status()).later(Duration.ofSeconds(61)).decide();
    assertThat(reasons(late)).containsExactly("NameTaken");
    assertThat(condition(late, "NamesFree").getMessage())
        .contains("kubectl -n team delete secret digits-pliant");
  }

  @Test
  void ofPodsOnlyThoseWhoseNamesAreWantedAreInTheWay() {
    Obstacle master = new Obstacle("Pod", "digits-master-0", "belongs to nobody", false);
    Obstacle worker = new Obstacle("Pod", "digits-worker-0", "belongs to nobody", false);
    PodView foreign = Scene.foreign(Scene.view("digits-master-0", "master", Stage.RUNNING));
    Reaction first = Scene.firstSight().pod(foreign).inTheWay(master).inTheWay(worker).decide();
    Reaction planned =
        Scene.running()
            .pod(Scene.foreign(Scene.worker("digits-worker-0", Stage.RUNNING)))
            .inTheWay(worker)
            .plan(List.of("digits-worker-0"), List.of(), List.of())
            .decide();
    Reaction made =
        Scene.running()
            .inTheWay(worker)
            .plan(List.of("digits-worker-0"), List.of(), List.of("digits-worker-0"))
            .decide();

    assertThat(created(first)).isEmpty();
    assertThat(condition(first, "NamesFree").getMessage())
        .contains("digits-master-0")
        .doesNotContain("digits-worker-0");
    assertThat(condition(planned, "NamesFree").getMessage()).contains("Pod 'digits-worker-0'");
    assertThat(types(made)).doesNotContain("NamesFree");
  }

  @Test
  void isSaidOnlyOfJobsToWhichItHasHappened() {
    Reaction taken = foreignSecret(SECRET).decide();
    Reaction free = Scene.running().status(taken.status()).decide();

    assertThat(types(Scene.firstSight().decide())).doesNotContain("NamesFree");
    assertThat(condition(free, "NamesFree").getStatus()).isEqualTo("True");
    assertThat(types(foreignSecret(SECRET).spec("suspend: true").decide()))
        .doesNotContain("NamesFree");
  }

  private static List<String> types(Reaction reaction) {
    return Objects.requireNonNull(Objects.requireNonNull(reaction.status()).conditions()).stream()
        .map(Condition::getType)
        .toList();
  }
}

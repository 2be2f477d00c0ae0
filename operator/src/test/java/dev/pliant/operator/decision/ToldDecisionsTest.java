package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.reasons;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.DecisionNote;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ToldDecisionsTest {
  private static final DecisionNote GROWN = new DecisionNote(1, "grow", "1 worker is to start.");
  private static final DecisionNote OUT_OF_MEMORY =
      new DecisionNote(2, "out-of-memory", "worker-0 ran out of memory.");
  private static final DecisionNote REFUSED =
      new DecisionNote(3, "request-refused", "Request of ScalePlan more refused.");

  private static Scene decided(DecisionNote... notes) {
    return Scene.running().plan(List.of(), List.of(), List.of()).decided(List.of(notes));
  }

  private static Long told(Reaction reaction) {
    return Objects.requireNonNull(
        Objects.requireNonNull(reaction.status()).decisionsTold(), "nothing is told");
  }

  @Test
  void eachIsAnEventWithItsReason() {
    Reaction reaction = decided(GROWN, OUT_OF_MEMORY, REFUSED).decide();

    assertThat(reaction.notices())
        .containsExactly(
            Notice.normal("Grow", GROWN.message()),
            Notice.warning("OutOfMemory", OUT_OF_MEMORY.message()),
            Notice.warning("RequestRefused", REFUSED.message()));
    assertThat(told(reaction)).isEqualTo(3);
  }

  @Test
  void noneIsToldTwice() {
    Scene scene = decided(GROWN, OUT_OF_MEMORY);
    Reaction first = scene.decide();

    Reaction second =
        scene
            .status(Objects.requireNonNull(first.status()))
            .decided(List.of(GROWN, OUT_OF_MEMORY, REFUSED))
            .decide();

    assertThat(reasons(first)).containsExactly("Grow", "OutOfMemory");
    assertThat(reasons(second)).containsExactly("RequestRefused");
    assertThat(told(second)).isEqualTo(3);
  }

  @Test
  void thoseThatCameTooFastAreCounted() {
    Scene scene = decided(GROWN);
    Reaction first = scene.decide();

    Reaction second =
        scene
            .status(Objects.requireNonNull(first.status()))
            .decided(List.of(new DecisionNote(5L, "grow", "one more")))
            .decide();

    assertThat(second.notices())
        .containsExactly(
            Notice.normal(
                "DecisionsMissed",
                "3 decisions came faster than they could be told; the job's journal has them"),
            Notice.normal("Grow", "one more"));
  }

  @Test
  void aMasterThatHasBegunAnewIsHeardFromItsFirst() {
    Scene scene = decided(GROWN, OUT_OF_MEMORY, REFUSED);
    Reaction before = scene.decide();

    Reaction anew =
        scene
            .status(Objects.requireNonNull(before.status()))
            .decided(List.of(new DecisionNote(1, "begun-anew", "job digits: it begins anew")))
            .decide();

    assertThat(reasons(anew)).containsExactly("BegunAnew");
    assertThat(told(anew)).isEqualTo(1);
  }

  @Test
  void aNewMasterThatHasDecidedNothingYetHasBegunAnew() {
    Scene scene = decided(GROWN, OUT_OF_MEMORY);
    Reaction before = scene.decide();

    Reaction empty =
        scene
            .status(Objects.requireNonNull(before.status()))
            .decided(List.of())
            .epoch(Scene.running().seen().job().masterEpoch() + 1)
            .decide();

    assertThat(Objects.requireNonNull(empty.status()).decisionsTold()).isNull();
  }

  @Test
  void whatWasToldStaysToldWhileThereIsNoPlan() {
    Reaction before = decided(GROWN).decide();

    Reaction without = Scene.running().status(Objects.requireNonNull(before.status())).decide();

    assertThat(told(without)).isEqualTo(1);
  }
}

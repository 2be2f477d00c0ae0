package dev.pliant.operator.decision;

import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A reaction while its rules are still being asked.
final class Draft {
  private static final int NAMES_SHOWN = 10;

  private final List<Action> actions = new ArrayList<>();
  private final List<Notice> notices = new ArrayList<>();
  private @Nullable Instant lookAgainAt;
  private @Nullable Integer directReplicas;

  void act(Action action) {
    actions.add(action);
  }

  void tell(Notice notice) {
    notices.add(notice);
  }

  /// Has the status remember how many workers are wished directly under `spec`.
  void remember(int direct) {
    directReplicas = direct;
  }

  /// Asks to be asked again at `time`, or sooner.
  void lookAgainAt(Instant time) {
    if (lookAgainAt == null || time.isBefore(lookAgainAt)) {
      lookAgainAt = time;
    }
  }

  /// Deletes pods, and tells why.
  ///
  /// @param grace in seconds; null for what each pod itself asks for
  void delete(List<PodView> pods, @Nullable Long grace, Rule rule, Objection why) {
    if (pods.isEmpty()) {
      return;
    }
    pods.forEach(pod -> act(new Action.DeletePod(pod.name(), pod.uid(), grace)));
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.count(InputName.PODS, pods.size()));
    if (grace != null) {
      inputs.add(Input.duration(InputName.GRACE, grace * 1_000));
    }
    decide(
        new Choice(
            new Subject.OfJob(),
            rule,
            inputs,
            Alternatives.rejected(Alternative.KEEP_PODS, why),
            Plan.DeletePods.of(pods.stream().map(PodView::name).toList())));
  }

  /// Tells what was decided about pods.
  void decide(Choice choice) {
    tell(Notice.of(choice));
  }

  List<Action> actions() {
    return actions;
  }

  List<Notice> notices() {
    return notices;
  }

  @Nullable Instant lookAgainAt() {
    return lookAgainAt;
  }

  /// What is to be remembered anew, or null.
  @Nullable Integer directReplicas() {
    return directReplicas;
  }

  /// The first few of them, and how many more there are.
  static String names(List<String> names) {
    String shown = names.stream().limit(NAMES_SHOWN).collect(Collectors.joining(", "));
    return names.size() <= NAMES_SHOWN
        ? shown
        : shown + " and %d more".formatted(names.size() - NAMES_SHOWN);
  }
}

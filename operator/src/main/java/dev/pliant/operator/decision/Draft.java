package dev.pliant.operator.decision;

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
  void delete(List<PodView> pods, @Nullable Long grace, String reason, String why) {
    if (pods.isEmpty()) {
      return;
    }
    pods.forEach(pod -> act(new Action.DeletePod(pod.name(), pod.uid(), grace)));
    tell(Notice.normal(reason, names(pods.stream().map(PodView::name).toList()) + " " + why));
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

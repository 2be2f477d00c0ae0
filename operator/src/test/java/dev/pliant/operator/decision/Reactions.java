package dev.pliant.operator.decision;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;

/// A reaction in the words of tests.
final class Reactions {
  private Reactions() {}

  static List<String> created(Reaction reaction) {
    return reaction.actions().stream()
        .flatMap(action ->
            switch (action) {
              case Action.CreateNode node -> List.of(node.node().name()).stream();
              case Action.CreateMaster master -> List.of("master-" + master.number()).stream();
              case Action.ApplyObject _,
                  Action.TryTemplates _,
                  Action.DeleteObject _,
                  Action.DeletePod _,
                  Action.RecordPlan _,
                  Action.FillReplicas _,
                  Action.FollowReplicas _,
                  Action.DeleteJob _,
                  Action.AddFinalizer _,
                  Action.RemoveFinalizer _,
                  Action.CreateCleaner _ ->
                  List.<String>of().stream();
            })
        .toList();
  }

  /// `NAME` for one that is given its own time, `NAME in N` for one that is given N seconds.
  static List<String> deleted(Reaction reaction) {
    return of(reaction, Action.DeletePod.class).stream()
        .map(pod -> pod.grace() == null ? pod.name() : pod.name() + " in " + pod.grace())
        .toList();
  }

  static <A extends Action> List<A> of(Reaction reaction, Class<A> type) {
    return reaction.actions().stream().filter(type::isInstance).map(type::cast).toList();
  }

  static List<String> reasons(Reaction reaction) {
    return reaction.notices().stream().map(Notice::reason).toList();
  }

  static Condition condition(Reaction reaction, String type) {
    return Objects.requireNonNull(
        Conditions.find(Objects.requireNonNull(reaction.status()).conditions(), type),
        "no condition " + type);
  }
}

package dev.pliant.cli.run;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import dev.pliant.cli.jobs.JobSnapshot.World;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What changed between two moments of a job, a line for each change that a user wants to hear of.
public final class ChangeNotes {
  private ChangeNotes() {}

  /// @param before null where this is the first moment
  public static List<String> between(@Nullable JobSnapshot before, JobSnapshot now) {
    List<String> notes = new ArrayList<>();
    if (before != null && before.counts().wish() != now.counts().wish()) {
      notes.add("%s wished".formatted(Amounts.count(now.counts().wish(), "worker")));
    }
    Map<String, Node> known = new HashMap<>();
    if (before != null) {
      before.nodes().forEach(node -> known.put(node.name(), node));
    }
    for (Node node : now.nodes()) {
      node(known.get(node.name()), node).ifPresent(notes::add);
    }
    world(before == null ? World.NONE : before.world(), now.world(), notes);
    JobPhase phase = before == null ? JobPhase.PENDING : before.phase();
    if (phase != now.phase() && now.phase() == JobPhase.STOPPING) {
      notes.add("stopping" + (now.phaseReason().isEmpty() ? "" : ": " + now.phaseReason()));
    }
    return notes;
  }

  private static Optional<String> node(@Nullable Node before, Node now) {
    if (before == null && !now.replaces().isEmpty()) {
      return Optional.of("%s takes the place of %s".formatted(now.name(), now.replaces()));
    }
    NodePhase phase = before == null ? NodePhase.INITIAL : before.phase();
    if (phase == now.phase() || !now.phase().ended()) {
      return Optional.empty();
    }
    return Optional.of(
        switch (now.phase()) {
          case SUCCEEDED -> now.name() + " ended well";
          case DELETED -> now.name() + " left";
          default -> "%s failed (%s)%s".formatted(now.name(), now.reason(), because(now.message()));
        });
  }

  /// A message may go on with the end of a log; that is shown elsewhere, from the log itself.
  private static String because(String message) {
    String first = message.lines().findFirst().orElse("").replaceFirst("; \\S+ ends:$", "");
    return first.isEmpty() ? "" : ": " + first;
  }

  private static void world(World before, World now, List<String> notes) {
    if (now.version() > before.version()) {
      notes.add(
          "world %d: %s (%s)"
              .formatted(
                  now.version(),
                  Amounts.count(now.members().size(), "worker"),
                  String.join(", ", now.members())));
    }
  }
}

package dev.pliant.model.decision;

import dev.pliant.model.DatasetName;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.WorkerId;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// What is done because of a decision.
public sealed interface Plan {
  /// How many nodes, workers or pods a plan names. The events name them all.
  int NAMED = 16;

  // Nodes.

  /// New nodes of a role start.
  ///
  /// @param first the first of them; their numbers follow each other
  record AddNodes(NodeId first, int count, NodeResources resources) implements Plan {}

  /// Another node takes the place of `node`.
  ///
  /// @param by the node that replaces it; null where it gets its number later
  /// @param delayMillis how long to wait before it starts
  /// @param restart which restart of `restarts` it uses; 0 where it uses none
  record ReplaceNode(
      NodeId node,
      @Nullable NodeId by,
      NodeResources resources,
      long delayMillis,
      int restart,
      int restarts)
      implements Plan {}

  /// A node whose replacement was decided before is replaced now.
  record StartReplacement(NodeId node, NodeId by, NodeResources resources) implements Plan {}

  /// Nodes end, and are not replaced.
  ///
  /// @param first the first [#NAMED] of them at the most
  record ReleaseNodes(List<NodeId> first, int count) implements Plan {
    public ReleaseNodes {
      first = bounded(first, count);
    }

    public static ReleaseNodes of(List<NodeId> nodes) {
      return new ReleaseNodes(nodes.stream().limit(NAMED).toList(), nodes.size());
    }
  }

  /// The node stays as it is.
  record KeepNode(NodeId node) implements Plan {}

  /// New nodes of a role get these resources.
  record ResizeRole(String role, NodeResources resources) implements Plan {}

  /// Nodes that run get other resources.
  ///
  /// @param first the first [#NAMED] of them at the most
  record ResizeNodes(List<Resize> first, int count) implements Plan {
    public ResizeNodes {
      first = bounded(first, count);
    }

    public static ResizeNodes of(SortedMap<NodeId, NodeResources> nodes) {
      return new ResizeNodes(
          nodes.entrySet().stream()
              .limit(NAMED)
              .map(node -> new Resize(node.getKey(), node.getValue()))
              .toList(),
          nodes.size());
    }
  }

  /// A node, and what it has from now on.
  record Resize(NodeId node, NodeResources resources) {}

  /// A role has `count` nodes from now on.
  record SetCount(String role, int before, int count) implements Plan {}

  /// Nothing is done until something changes.
  record KeepWaiting() implements Plan {}

  // The job.

  /// Several plans at once.
  ///
  /// @param parts the first [#MOST_PARTS] at the most
  record Several(List<Plan> parts) implements Plan {
    /// How many parts a plan has.
    public static final int MOST_PARTS = 64;

    public Several {
      parts = List.copyOf(parts);
      if (parts.size() > MOST_PARTS) {
        throw new IllegalArgumentException("a plan of %,d parts".formatted(parts.size()));
      }
    }
  }

  /// All of these: one plan for one part, none for none.
  static Plan all(List<Plan> parts) {
    return switch (parts.size()) {
      case 0 -> new ChangeNothing();
      case 1 -> parts.getFirst();
      default -> new Several(parts.stream().limit(Several.MOST_PARTS).toList());
    };
  }

  /// Nothing changes.
  record ChangeNothing() implements Plan {}

  /// The job is now in this phase.
  record EnterPhase(JobPhase phase) implements Plan {}

  /// All nodes end; then the job is in phase `target`.
  record EndJob(JobPhase target) implements Plan {}

  /// All nodes end; they are replaced once the job resumes.
  record Suspend() implements Plan {}

  /// New nodes take the places of those that ended for the suspension.
  record Resume() implements Plan {}

  /// The job follows another plan of its user.
  record ChangeJob() implements Plan {}

  /// The job, which was over, begins again.
  record BeginAnew() implements Plan {}

  // Groups.

  /// Members train together.
  ///
  /// @param first the first [#NAMED] of them at the most, in the order of their ranks
  record FormWorld(long version, List<WorkerId> first, int count) implements Plan {
    public FormWorld {
      first = bounded(first, count);
    }

    public static FormWorld of(long version, List<WorkerId> members) {
      return new FormWorld(version, members.stream().limit(NAMED).toList(), members.size());
    }
  }

  /// The next world forms without these members.
  ///
  /// @param first the first [#NAMED] of them at the most
  record LeaveOut(List<WorkerId> first, int count) implements Plan {
    public LeaveOut {
      first = bounded(first, count);
    }

    public static LeaveOut of(List<WorkerId> members) {
      return new LeaveOut(members.stream().limit(NAMED).toList(), members.size());
    }
  }

  /// No further world forms.
  ///
  /// @param complete whether the training is complete
  record CloseRendezvous(boolean complete) implements Plan {}

  // Data.

  /// Shards are leased again.
  record RequeueShards(long count) implements Plan {}

  /// The dataset fails for good.
  record FailDataset(DatasetName dataset) implements Plan {}

  /// All ledgers go back to a checkpoint.
  ///
  /// @param checkpoint its number; 0 for the beginning
  /// @param lineage the lineage that begins
  record RestoreLedgers(long checkpoint, long lineage) implements Plan {}

  // Pods.

  /// Pods are created.
  ///
  /// @param first the first [#NAMED] of them at the most
  record CreatePods(List<String> first, int count) implements Plan {
    public CreatePods {
      first = bounded(first, count);
    }

    public static CreatePods of(List<String> pods) {
      return new CreatePods(pods.stream().limit(NAMED).toList(), pods.size());
    }
  }

  /// Pods are deleted.
  ///
  /// @param first the first [#NAMED] of them at the most
  record DeletePods(List<String> first, int count) implements Plan {
    public DeletePods {
      first = bounded(first, count);
    }

    public static DeletePods of(List<String> pods) {
      return new DeletePods(pods.stream().limit(NAMED).toList(), pods.size());
    }
  }

  /// A pod takes the place of another.
  record ReplacePod(String pod, String by) implements Plan {}

  /// Whether the plan names this node.
  default boolean concerns(NodeId node) {
    return switch (this) {
      case AddNodes(NodeId first, int count, NodeResources _) ->
          first.role().equals(node.role())
              && node.number() >= first.number()
              && node.number() - first.number() < count;
      case ReplaceNode replace -> node.equals(replace.node()) || node.equals(replace.by());
      case StartReplacement(NodeId replaced, NodeId by, NodeResources _) ->
          node.equals(replaced) || node.equals(by);
      case ReleaseNodes(List<NodeId> first, int _) -> first.contains(node);
      case ResizeNodes(List<Resize> first, int _) ->
          first.stream().anyMatch(resize -> resize.node().equals(node));
      case KeepNode(NodeId kept) -> kept.equals(node);
      case Several(List<Plan> parts) -> parts.stream().anyMatch(part -> part.concerns(node));
      case ResizeRole _,
          SetCount _,
          KeepWaiting _,
          ChangeNothing _,
          EnterPhase _,
          EndJob _,
          Suspend _,
          Resume _,
          ChangeJob _,
          BeginAnew _,
          FormWorld _,
          LeaveOut _,
          CloseRendezvous _,
          RequeueShards _,
          FailDataset _,
          RestoreLedgers _,
          CreatePods _,
          DeletePods _,
          ReplacePod _ ->
          false;
    };
  }

  private static <T> List<T> bounded(List<T> first, int count) {
    if (first.size() > NAMED || first.size() > count) {
      throw new IllegalArgumentException("%d of %d are named".formatted(first.size(), count));
    }
    return List.copyOf(first);
  }
}

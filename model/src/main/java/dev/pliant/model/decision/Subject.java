package dev.pliant.model.decision;

import dev.pliant.model.DatasetName;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;

/// What a decision is about.
public sealed interface Subject {
  /// The job as a whole.
  record OfJob() implements Subject {}

  /// All nodes of a role.
  record OfRole(String role) implements Subject {}

  record OfNode(NodeId node) implements Subject {}

  record OfWorker(WorkerId worker) implements Subject {}

  record OfDataset(DatasetName dataset) implements Subject {}

  /// A group that trains together, or is to.
  record OfWorld(long version) implements Subject {}

  /// A pod, or several of one kind where `name` ends with `*`.
  record OfPod(String name) implements Subject {}

  /// An object of a cluster that is no pod.
  record OfObject(String kind, String name) implements Subject {}

  /// Shards of a dataset.
  ///
  /// @param first the lowest number of them
  record OfShards(DatasetName dataset, long first, int count) implements Subject {}

  /// The kind of subject, in one word.
  default String kind() {
    return switch (this) {
      case OfJob _ -> "job";
      case OfRole _ -> "role";
      case OfNode _ -> "node";
      case OfWorker _ -> "worker";
      case OfDataset _ -> "dataset";
      case OfWorld _ -> "world";
      case OfPod _ -> "pod";
      case OfObject(String kind, String _) -> kind;
      case OfShards _ -> "shards";
    };
  }

  /// What tells it from others of its kind; empty for the job.
  default String name() {
    return switch (this) {
      case OfJob _ -> "";
      case OfRole(String role) -> role;
      case OfNode(NodeId node) -> node.toString();
      case OfWorker(WorkerId worker) -> worker.toString();
      case OfDataset(DatasetName dataset) -> dataset.toString();
      case OfWorld(long version) -> Long.toString(version);
      case OfPod(String name) -> name;
      case OfObject(String _, String name) -> name;
      case OfShards(DatasetName dataset, long first, int count) ->
          "%s %d+%d".formatted(dataset, first, count);
    };
  }

  /// Whether this is the node, or a worker on it.
  default boolean concerns(NodeId node) {
    return switch (this) {
      case OfNode(NodeId id) -> id.equals(node);
      case OfWorker(WorkerId worker) -> isOn(worker, node);
      case OfJob _, OfRole _, OfDataset _, OfWorld _, OfPod _, OfObject _, OfShards _ -> false;
    };
  }

  private static boolean isOn(WorkerId worker, NodeId node) {
    String name = node.toString();
    return worker.value().equals(name) || worker.value().startsWith(name + "-");
  }
}

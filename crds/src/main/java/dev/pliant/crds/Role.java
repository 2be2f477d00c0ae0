package dev.pliant.crds;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What a node of a job is there for. Each role has the names that published manifests give it; the
/// first is ours.
public enum Role {
  /// Trains.
  WORKER("worker"),
  /// Holds a part of the model for workers that train asynchronously.
  PARAMETER_SERVER("ps", "parameterServer", "parameter_server"),
  /// The worker that also keeps checkpoints, in TensorFlow's estimators.
  CHIEF("chief"),
  /// Measures the model while it is trained.
  EVALUATOR("evaluator"),
  /// The job's master. Pliant brings its own; what is kept of this role is its resources.
  MASTER("dlrover-master", "master");

  private final List<String> spellings;

  Role(String... spellings) {
    this.spellings = List.of(spellings);
  }

  /// The name by which nodes and messages call it.
  public String label() {
    return spellings.getFirst();
  }

  public List<String> spellings() {
    return spellings;
  }

  /// The role that a manifest calls so.
  public static Optional<Role> of(String name) {
    return Arrays.stream(values()).filter(role -> role.spellings.contains(name)).findFirst();
  }

  static List<String> allSpellings() {
    return Stream.of(values()).flatMap(role -> role.spellings.stream()).toList();
  }
}

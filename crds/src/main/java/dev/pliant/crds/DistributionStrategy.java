package dev.pliant.crds;

import java.util.List;

/// How the processes of a job train together. Each has the spellings that published manifests use.
public enum DistributionStrategy {
  /// Workers that share data and nothing else.
  LOCAL("Local"),
  /// Workers that average their gradients with each other.
  ALLREDUCE("AllreduceStrategy", "ring-allreduce"),
  /// Workers that send their gradients to parameter servers.
  PARAMETER_SERVER("ParameterServerStrategy", "parameter_server");

  private final List<String> spellings;

  DistributionStrategy(String... spellings) {
    this.spellings = List.of(spellings);
  }

  public List<String> spellings() {
    return spellings;
  }
}

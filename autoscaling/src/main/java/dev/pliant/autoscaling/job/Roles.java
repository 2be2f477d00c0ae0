package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;

/// The roles that sizes are planned for.
public final class Roles {
  public static final String WORKER = NodeId.WORKER;

  /// The first worker, where it has a role of its own.
  public static final String CHIEF = "chief";

  /// A parameter server.
  public static final String SERVER = "ps";

  public static final String EVALUATOR = "evaluator";

  private Roles() {}

  /// Whether nodes of the role train on data. The chief is a worker.
  public static boolean isWorker(String role) {
    return role.equals(WORKER) || role.equals(CHIEF);
  }
}

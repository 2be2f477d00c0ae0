package dev.pliant.operator.decision;

import java.util.Locale;

/// What a job has in a cluster besides its pods and its plan; in the order in which it is made.
public enum JobObject {
  /// The job's token and the master's certificate. Made once: another would lock its nodes out.
  SECRET,
  SERVICE_ACCOUNT,
  ROLE,
  ROLE_BINDING,
  /// Where the master is reached.
  MASTER_SERVICE,
  /// What gives each node's pod a name of its own.
  NODES_SERVICE,
  /// Lets the job's own pods reach its master, and nobody else.
  NETWORK_POLICY;

  /// How people call it.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

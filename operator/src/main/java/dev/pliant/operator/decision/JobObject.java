package dev.pliant.operator.decision;

import dev.pliant.crds.DistributionStrategy;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
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
  /// What gives the pods of parameter servers names of their own, by which they are found.
  NODES_SERVICE,
  /// Lets the job's own pods reach its master, and nobody else where their labels can be seen.
  NETWORK_POLICY;

  /// Whether a job has any use for it. Each Service costs its cluster something with every pod.
  public boolean isOf(ElasticJob job) {
    return this != NODES_SERVICE
        || job.spec().distributionStrategy() == DistributionStrategy.PARAMETER_SERVER
        || job.spec().replicaSpecs().containsKey(Role.PARAMETER_SERVER);
  }

  /// How people call it.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

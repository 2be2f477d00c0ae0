package dev.pliant.crds;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.Map;

/// How many nodes of a role a job is to have at first, at the least and at the most.
///
/// @param bounded whether the most follows from what the job says; else it is a default, which a
///   training that prepares for its largest size need not prepare for
public record RoleBounds(int wish, int min, int max, boolean bounded) {
  /// The most workers where nothing says how many.
  public static final int DEFAULT_MAX_WORKERS = 60;

  /// The most parameter servers where nothing says how many.
  public static final int DEFAULT_MAX_SERVERS = 15;

  public RoleBounds {
    if (min < 0 || max < 1 || wish < min || wish > max) {
      throw new IllegalArgumentException("%d of %d to %d".formatted(wish, min, max));
    }
  }

  /// What `spec` says of `role`. `replicas` is the wish; a role that stands in the job without it
  /// is wished at least once. Bounds that are given count; without them it is from 1 worker or
  /// server (none of another role, and never more than `replicas`) to what `resourceLimits` allow
  /// in manual mode, and to 60 workers or 15 servers where that says nothing or the job is
  /// optimised. In every mode the limits bound what is given and what is not, with nodes as large
  /// as their template says.
  ///
  /// @throws PliantException where not even the fewest fit into `resourceLimits`
  public static RoleBounds of(ElasticJobSpec spec, Role role) {
    ReplicaSpec replicas = spec.replicaSpecs().get(role);
    if (replicas == null) {
      throw new IllegalArgumentException("the job has no " + role.label());
    }
    int wish = wish(replicas);
    int min =
        replicas.minReplicas() == null ? Math.min(defaultMin(role), wish) : replicas.minReplicas();
    int allowed = allowed(spec, role, replicas);
    if (allowed < Math.max(1, min)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "spec.resourceLimits leave room for %,d of the role '%s', which needs %,d; raise the limits, or let a node ask for less."
              .formatted(allowed, role.label(), Math.max(1, min)));
    }
    int most = most(spec, role, replicas, wish, allowed);
    int max = Math.min(Math.min(most, allowed), ReplicaSpec.MAX_REPLICAS);
    boolean bounded = replicas.maxReplicas() != null || allowed <= most;
    return new RoleBounds(Math.min(wish, max), min, max, bounded);
  }

  /// The most where the limits do not say less.
  private static int most(
      ElasticJobSpec spec, Role role, ReplicaSpec replicas, int wish, int allowed) {
    if (replicas.maxReplicas() != null) {
      return replicas.maxReplicas();
    }
    boolean asManyAsFit = spec.optimizeMode() == OptimizeMode.MANUAL && allowed < Integer.MAX_VALUE;
    return asManyAsFit ? allowed : Math.max(wish, defaultMax(role));
  }

  private static int wish(ReplicaSpec replicas) {
    if (replicas.replicas() != null) {
      return replicas.replicas();
    }
    return replicas.minReplicas() == null ? 1 : Math.max(1, replicas.minReplicas());
  }

  /// Nothing trains without workers, nor beside servers without one of them.
  private static int defaultMin(Role role) {
    return switch (role) {
      case WORKER, PARAMETER_SERVER -> 1;
      case CHIEF, EVALUATOR, MASTER -> 0;
    };
  }

  private static int defaultMax(Role role) {
    return switch (role) {
      case WORKER -> DEFAULT_MAX_WORKERS;
      case PARAMETER_SERVER -> DEFAULT_MAX_SERVERS;
      case CHIEF, EVALUATOR, MASTER -> 1;
    };
  }

  /// How many nodes of `role` the job's limits have room for beside the nodes of its other roles;
  /// as many as there are numbers where they do not speak of what a node asks for.
  private static int allowed(ElasticJobSpec spec, Role role, ReplicaSpec replicas) {
    double allowed = Integer.MAX_VALUE;
    for (Map.Entry<String, String> limit : spec.resourceLimits().entrySet()) {
      double each = amount(replicas, limit.getKey());
      if (each > 0) {
        double free = Quantity.of(limit.getValue()) - others(spec, role, limit.getKey());
        allowed = Math.min(allowed, Math.floor(Math.max(0, free) / each + 1e-9));
      }
    }
    return (int) allowed;
  }

  private static double others(ElasticJobSpec spec, Role role, String resource) {
    double sum = 0;
    for (Map.Entry<Role, ReplicaSpec> other : spec.replicaSpecs().entrySet()) {
      if (other.getKey() != role && other.getKey() != Role.MASTER) {
        sum += wish(other.getValue()) * amount(other.getValue(), resource);
      }
    }
    return sum;
  }

  /// What one node may use, or asks for where it may use any amount, over all its containers. Its
  /// master, who changes the limits of the main container alone, goes by those. Names may be
  /// written as plans write them.
  private static double amount(ReplicaSpec replicas, String resource) {
    String name =
        switch (resource) {
          case "gpu" -> ResourceAmounts.GPU;
          case "disk" -> ResourceAmounts.DISK;
          default -> resource;
        };
    double sum = 0;
    for (Container container : replicas.template().containers()) {
      String limit = container.resources().limits().get(name);
      String quantity = limit == null ? container.resources().requests().get(name) : limit;
      sum += quantity == null ? 0 : Quantity.of(quantity);
    }
    return sum;
  }
}

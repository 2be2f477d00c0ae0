package dev.pliant.model.decision;

import java.util.Locale;

/// Everything that decisions are made from. The [#word] ends with the unit where there is one.
public enum InputName {
  // Jobs and requests.
  PHASE(Value.Name.class),
  STRATEGY(Value.Name.class),
  RUN_BEFORE(Value.Time.class),
  RUN(Value.Time.class),
  UID_BEFORE(Value.Name.class),
  PLAN_FIELDS_CHANGED(Value.Names.class),
  REQUESTED_BY(Value.Text.class),
  GENERATION(Value.Count.class),
  ROLE(Value.Name.class),
  REQUESTED(Value.Count.class),
  REQUESTED_BEFORE(Value.Count.class),
  LEAST(Value.Count.class),
  MOST(Value.Count.class),
  SUSPENDED_UNTIL(Value.Time.class),
  CAUSE(Value.Text.class),
  // Nodes.
  NODE(Value.Name.class),
  NODES(Value.Count.class),
  NODES_TO_STAY(Value.Count.class),
  NODES_SUCCEEDED(Value.Count.class),
  NODES_NOT_ENDED(Value.Names.class),
  NODES_BEFORE(Value.Names.class),
  PLACES_TAKEN(Value.Count.class),
  PLACES_KEPT(Value.Count.class),
  EXIT_REASON(Value.Name.class),
  MESSAGE(Value.Text.class),
  OUTSIDE_ENDS_IN_LAST_HOUR(Value.Count.class),
  MOST_OUTSIDE_ENDS(Value.Count.class),
  OUTSIDE_ENDS_IN_A_ROW(Value.Count.class),
  LIVED(Value.Duration.class),
  BACKOFF_BEFORE(Value.Duration.class),
  RESTARTS_USED(Value.Count.class),
  RESTARTS_ALLOWED(Value.Count.class),
  MEMORY(Value.Mib.class),
  MOST_MEMORY(Value.Mib.class),
  MEMORY_LEFT_BY_LIMITS(Value.Mib.class),
  RESOURCES(Value.Resources.class),
  LACKS_ROOM(Value.Flag.class),
  WAITED(Value.Duration.class),
  LONGEST_WAIT(Value.Duration.class),
  REPLACES(Value.Name.class),
  SUCCESSOR(Value.Name.class),
  // Groups.
  WORLD(Value.Count.class),
  LEAST_MEMBERS(Value.Count.class),
  MOST_MEMBERS(Value.Count.class),
  MEMBERS_PER_NODE(Value.Count.class),
  MEMBERS_REQUESTED(Value.Count.class),
  MEMBERS_ARRIVED(Value.Count.class),
  MEMBERS_WITH_STATE(Value.Count.class),
  MEMBERS_TRAINING(Value.Count.class),
  MEMBERS_WAITING(Value.Names.class),
  TRIGGER(Value.Name.class),
  WORLDS_IN_A_ROW(Value.Count.class),
  // Data.
  DATASET(Value.Name.class),
  WORKER(Value.Name.class),
  SHARD(Value.Count.class),
  SHARDS(Value.Count.class),
  FAILURES_BEFORE(Value.Count.class),
  SLOWEST_SHARD(Value.Duration.class),
  CHECKPOINT(Value.Count.class),
  LINEAGE_BEFORE(Value.Count.class),
  TAKEN_BY(Value.Name.class),
  // Pods.
  PODS(Value.Count.class),
  GRACE(Value.Duration.class),
  // What is measured.
  SPEED(Value.Amount.class),
  // The sizes of one job.
  LIMIT_CPU(Value.Amount.class),
  LIMIT_MEMORY(Value.Mib.class),
  SAMPLES(Value.Count.class),
  WORKERS(Value.Count.class),
  SERVERS(Value.Count.class),
  SERVER_CPU_PER_WORKER(Value.Amount.class),
  WORKER_CPU(Value.Amount.class),
  WORKER_MEMORY(Value.Mib.class),
  LARGEST_SERVER_CPU(Value.Amount.class),
  SERVER_MEMORY(Value.Mib.class),
  SERVER_UTILISATION(Value.Amount.class),
  SPEED_RATIO(Value.Amount.class),
  WORKERS_WITHIN_LIMITS(Value.Amount.class),
  FACTOR(Value.Amount.class),
  OPTIMIZER(Value.Text.class),
  FREE_NODES(Value.Count.class),
  UNIT(Value.Count.class),
  EFFICIENCY(Value.Amount.class),
  SMALLEST_EFFICIENCY(Value.Amount.class),
  MEMORY_USED(Value.Mib.class),
  INCREASES(Value.Count.class),
  SPEED_BEFORE(Value.Amount.class),
  // The sizes of all jobs of a cluster.
  TRAINERS(Value.Count.class),
  TRAINERS_PLACED(Value.Count.class),
  FULFILMENT(Value.Amount.class),
  GPUS_PER_TRAINER(Value.Count.class),
  CPU_PER_TRAINER(Value.Amount.class),
  MEMORY_PER_TRAINER(Value.Mib.class),
  FREE_GPUS(Value.Count.class),
  CPU_LOAD(Value.Amount.class),
  MEMORY_LOAD(Value.Amount.class),
  LOAD_CEILING(Value.Amount.class),
  TAKEN_FOR(Value.Name.class),
  NODES_OF_CLUSTER(Value.Count.class);

  private final Class<? extends Value> kind;

  InputName(Class<? extends Value> kind) {
    this.kind = kind;
  }

  /// What its value is.
  public Class<? extends Value> kind() {
    return kind;
  }

  /// As JSON and people have it: `longest-wait-ms`.
  public String word() {
    String unit =
        kind == Value.Duration.class || kind == Value.Time.class
            ? "-ms"
            : kind == Value.Mib.class
                ? "-mib"
                : this == SPEED || this == SPEED_BEFORE ? "-records-per-second" : "";
    return name().toLowerCase(Locale.ROOT).replace('_', '-') + unit;
  }
}

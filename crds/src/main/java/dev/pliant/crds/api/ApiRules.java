package dev.pliant.crds.api;

/// What the API server checks before it takes an object, in its own language, and what it says to
/// whoever wrote it. Every list, map and text that a rule looks into is bounded: the API server
/// counts what a rule may cost at the most.
final class ApiRules {
  /// The most nodes of one role.
  static final int MAX_REPLICAS = 10_000;

  /// The most pods that a plan names.
  static final int MAX_PODS = 20_000;

  static final int MAX_ROLES = 16;

  /// Of a master's decisions the newest are told.
  static final int MAX_DECISIONS = 16;

  static final String NODE_ROLES =
      "['worker', 'ps', 'parameterServer', 'parameter_server', 'chief', 'evaluator']";
  static final String NODE_ROLES_SAID =
      "worker, ps (or parameterServer, parameter_server), chief, evaluator";

  // A job's roles.

  private static final String NAMED = "has(self.replicaSpecs)";
  private static final String SERVERS = "['ps', 'parameterServer', 'parameter_server']";
  private static final String MASTERS = "['master', 'dlrover-master']";
  private static final String HAS_SERVERS =
      "(has(self.ps) || has(self.parameterServer) || has(self.parameter_server))";
  private static final String HAS_MASTER = "(has(self.master) || has(self.dlrover__dash__master))";

  static final String WORKERS =
      "has(self.worker) || (" + NAMED + " && 'worker' in self.replicaSpecs)";
  static final String WORKERS_SAID =
      "this job has no workers; write them as spec.replicaSpecs.worker or as spec.worker";

  static final String KNOWN_ROLES =
      "!"
          + NAMED
          + " || self.replicaSpecs.all(role, role in "
          + NODE_ROLES
          + " || role in "
          + MASTERS
          + ")";
  static final String KNOWN_ROLES_SAID =
      "a role of replicaSpecs is one of " + NODE_ROLES_SAID + ", dlrover-master (or master)";

  static final String TEMPLATES =
      "(!has(self.worker) || has(self.worker.template))"
          + " && (!has(self.ps) || has(self.ps.template))"
          + " && (!has(self.parameterServer) || has(self.parameterServer.template))"
          + " && (!has(self.parameter_server) || has(self.parameter_server.template))"
          + " && (!has(self.chief) || has(self.chief.template))"
          + " && (!has(self.evaluator) || has(self.evaluator.template))"
          + " && (!has(self.master) || has(self.master.template))"
          + " && (!has(self.dlrover__dash__master) || has(self.dlrover__dash__master.template))"
          + " && (!"
          + NAMED
          + " || self.replicaSpecs.all(role,"
          + " has(self.replicaSpecs[role].template)"
          + " || (role == 'worker' && has(self.worker))"
          + " || (role == 'chief' && has(self.chief))"
          + " || (role == 'evaluator' && has(self.evaluator))"
          + " || (role in "
          + SERVERS
          + " && "
          + HAS_SERVERS
          + ")"
          + " || (role in "
          + MASTERS
          + " && "
          + HAS_MASTER
          + ")))";
  static final String TEMPLATES_SAID =
      "every role needs a template, the pod that each of its nodes is";

  /// The number that `kubectl scale` writes.
  private static final String SCALED = "self.replicaSpecs['worker'].replicas";

  private static final String OLD_SCALED = "oldSelf.replicaSpecs['worker'].replicas";
  private static final String HAS_SCALED =
      "(" + NAMED + " && 'worker' in self.replicaSpecs && has(" + SCALED + "))";
  private static final String HAD_SCALED =
      "(has(oldSelf.replicaSpecs) && 'worker' in oldSelf.replicaSpecs && has(" + OLD_SCALED + "))";

  /// The number that stands directly under `spec`.
  private static final String HAS_DIRECT = "(has(self.worker) && has(self.worker.replicas))";

  private static final String HAD_DIRECT = "(has(oldSelf.worker) && has(oldSelf.worker.replicas))";

  /// A new job may say 0, as others' manifests do: then its number is not given. One that is there
  /// is not scaled to it.
  static final String ONE_WORKER =
      "(!"
          + HAS_DIRECT
          + " || self.worker.replicas > 0 || ("
          + HAD_DIRECT
          + " && oldSelf.worker.replicas == 0)) && (!"
          + HAS_SCALED
          + " || "
          + SCALED
          + " > 0 || ("
          + HAD_SCALED
          + " && "
          + OLD_SCALED
          + " == 0))";

  static final String ONE_WORKER_SAID =
      "a job has at least one worker; leave replicas out where the number is to stay as it is, and to let the job rest, set spec.suspend to true";

  /// Where the bounds stand in the other shape.
  private static final String WITHIN =
      "("
          + SCALED
          + " == 0 || ((!has(self.worker.maxReplicas) || "
          + SCALED
          + " <= self.worker.maxReplicas) && (!has(self.worker.minReplicas) || "
          + SCALED
          + " >= self.worker.minReplicas)))";

  /// Beside a number of its own the direct role's bounds are kept by whoever reads the two.
  static final String SCALED_WITHIN =
      "!has(self.worker) || has(self.worker.replicas) || !" + HAS_SCALED + " || " + WITHIN;

  /// A change of the direct number may bring its bounds along: the other number is made to follow.
  /// Until it is, all else may change.
  static final String SCALED_INTO =
      "!has(self.worker) || !has(self.worker.replicas) || !"
          + HAS_SCALED
          + " || "
          + WITHIN
          + " || !("
          + HAD_DIRECT
          + " && oldSelf.worker.replicas == self.worker.replicas)"
          + " || ("
          + HAD_SCALED
          + " && "
          + OLD_SCALED
          + " == "
          + SCALED
          + " && (has(self.worker.minReplicas) ? self.worker.minReplicas : 0)"
          + " == (has(oldSelf.worker.minReplicas) ? oldSelf.worker.minReplicas : 0)"
          + " && (has(self.worker.maxReplicas) ? self.worker.maxReplicas : 0)"
          + " == (has(oldSelf.worker.maxReplicas) ? oldSelf.worker.maxReplicas : 0))";

  static final String SCALED_WITHIN_SAID =
      "replicaSpecs.worker.replicas lies outside minReplicas and maxReplicas of spec.worker";

  private static final String SECOND_TIME =
      " twice; write it once, under spec.replicaSpecs or directly under spec";

  static final String WORKER_ONCE =
      "(!("
          + "has(self.worker)"
          + ") || !"
          + NAMED
          + " || self.replicaSpecs.all(role, !("
          + "role == 'worker'"
          + ") || !has(self.replicaSpecs[role].template)))"
          + " && "
          + "(!("
          + "has(self.chief)"
          + ") || !"
          + NAMED
          + " || self.replicaSpecs.all(role, !("
          + "role == 'chief'"
          + ") || !has(self.replicaSpecs[role].template)))"
          + " && "
          + "(!("
          + "has(self.evaluator)"
          + ") || !"
          + NAMED
          + " || self.replicaSpecs.all(role, !("
          + "role == 'evaluator'"
          + ") || !has(self.replicaSpecs[role].template)))";
  static final String WORKER_ONCE_SAID = "a role has a template" + SECOND_TIME;

  static final String SERVERS_ONCE =
      "(has(self.ps) ? 1 : 0) + (has(self.parameterServer) ? 1 : 0)"
          + " + (has(self.parameter_server) ? 1 : 0) <= 1"
          + " && (!"
          + NAMED
          + " || "
          + SERVERS
          + ".filter(role, role in self.replicaSpecs).size() <= 1)"
          + " && "
          + "(!("
          + HAS_SERVERS
          + ") || !"
          + NAMED
          + " || self.replicaSpecs.all(role, !("
          + "role in "
          + SERVERS
          + ") || !has(self.replicaSpecs[role].template)))";
  static final String SERVERS_ONCE_SAID =
      "ps, parameterServer and parameter_server are one role, and it stands here" + SECOND_TIME;

  static final String OTHERS_ONCE =
      "!(has(self.master) && has(self.dlrover__dash__master))"
          + " && (!"
          + NAMED
          + " || "
          + MASTERS
          + ".filter(role, role in self.replicaSpecs).size() <= 1)"
          + " && "
          + "(!("
          + HAS_MASTER
          + ") || !"
          + NAMED
          + " || self.replicaSpecs.all(role, !("
          + "role in "
          + MASTERS
          + ") || !has(self.replicaSpecs[role].template)))";
  static final String OTHERS_ONCE_SAID =
      "dlrover-master and master are one role, and it stands here" + SECOND_TIME;

  // Plans.

  static final String SOMETHING_TO_DO =
      "has(self.masterEpoch)"
          + " || (has(self.replicaResourceSpecs) && size(self.replicaResourceSpecs) > 0)"
          + " || (has(self.createPods) && size(self.createPods) > 0)"
          + " || (has(self.removePods) && size(self.removePods) > 0)"
          + " || (has(self.migratePods) && size(self.migratePods) > 0)";
  static final String SOMETHING_TO_DO_SAID =
      "this plan asks for nothing; say how many of which role (replicaResourceSpecs), or name pods (createPods, removePods, migratePods)";

  static final String EPOCH_NEVER_FALLS =
      "!has(oldSelf.masterEpoch) || (has(self.masterEpoch) && self.masterEpoch >= oldSelf.masterEpoch)";
  static final String EPOCH_NEVER_FALLS_SAID =
      "a newer master of this job has written this plan; the word of an older one counts no more";

  private ApiRules() {}

  static final String SCALER_STAYS =
      "(has(self.scaler) ? self.scaler : 'ElasticJobScaler')"
          + " == (has(oldSelf.scaler) ? oldSelf.scaler : 'ElasticJobScaler')";
  static final String SCALER_STAYS_SAID =
      "scaler says who makes a job's pods, and stays as it is while there is the job";

  /// In any of its spellings.
  static final String STRATEGY_STAYS =
      "(!has(self.distributionStrategy) || self.distributionStrategy == 'Local' ? 'none'"
          + " : self.distributionStrategy in ['AllreduceStrategy', 'ring-allreduce'] ? 'ring' : 'servers')"
          + " == (!has(oldSelf.distributionStrategy) || oldSelf.distributionStrategy == 'Local' ? 'none'"
          + " : oldSelf.distributionStrategy in ['AllreduceStrategy', 'ring-allreduce'] ? 'ring' : 'servers')";

  static final String STRATEGY_STAYS_SAID =
      "distributionStrategy says how the job's processes train together, and stays as it is while there is the job";

  /// In either shape: what `replicaSpecs` says wins.
  static final String PROCESSES_STAY =
      "("
          + NAMED
          + " && 'worker' in self.replicaSpecs && has(self.replicaSpecs['worker'].nprocPerNode)"
          + " ? self.replicaSpecs['worker'].nprocPerNode"
          + " : has(self.worker) && has(self.worker.nprocPerNode) ? self.worker.nprocPerNode : 1)"
          + " == (has(oldSelf.replicaSpecs) && 'worker' in oldSelf.replicaSpecs"
          + " && has(oldSelf.replicaSpecs['worker'].nprocPerNode)"
          + " ? oldSelf.replicaSpecs['worker'].nprocPerNode"
          + " : has(oldSelf.worker) && has(oldSelf.worker.nprocPerNode) ? oldSelf.worker.nprocPerNode : 1)";

  static final String PROCESSES_STAY_SAID =
      "nprocPerNode of the workers says how their ranks are given, and stays as it is while there is the job";

  static final String STORAGE_STAYS =
      "has(self.storage) == has(oldSelf.storage)"
          + " && (!has(self.storage) || (self.storage.claim == oldSelf.storage.claim"
          + " && has(self.storage.path) == has(oldSelf.storage.path)"
          + " && (!has(self.storage.path) || self.storage.path == oldSelf.storage.path)))";
  static final String STORAGE_STAYS_SAID =
      "storage has the job's journal: its claim and path stay as they are while there is the job";
}

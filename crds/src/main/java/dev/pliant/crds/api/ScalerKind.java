package dev.pliant.crds.api;

/// Who makes a job's pods.
public enum ScalerKind {
  /// The master writes a [ScalePlan], the operator makes the pods. The default.
  ElasticJobScaler,
  /// The master makes the pods itself, the operator none.
  PodScaler,
  /// The master writes a [JobResource], the operator makes the pods.
  JobResource
}

package dev.pliant.crds;

import dev.pliant.model.JobId;

/// A training job: what is to run, how many of it, and within which bounds. In a file and in a
/// cluster it is the object `elastic.iml.github.io/v1alpha1 ElasticJob`.
public record ElasticJob(Metadata metadata, ElasticJobSpec spec) {
  public static final String API_VERSION = "elastic.iml.github.io/v1alpha1";
  public static final String KIND = "ElasticJob";

  public JobId id() {
    return new JobId(metadata.namespace(), metadata.name());
  }

  /// The same job under another name.
  public ElasticJob named(String name) {
    return new ElasticJob(
        new Metadata(name, metadata.namespace(), metadata.labels(), metadata.annotations()), spec);
  }
}

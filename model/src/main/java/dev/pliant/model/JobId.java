package dev.pliant.model;

/// A job, by namespace and name.
public record JobId(String namespace, String name) {
  public JobId {
    Names.checkSegment("the job's namespace", namespace);
    Names.checkSegment("the job", name);
  }

  /// Reads `NAMESPACE/NAME`, or `NAME` in the namespace `default`.
  public static JobId parse(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? new JobId("default", text)
        : new JobId(text.substring(0, slash), text.substring(slash + 1));
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}

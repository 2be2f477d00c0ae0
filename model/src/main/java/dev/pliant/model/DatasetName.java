package dev.pliant.model;

/// A dataset's name, unique in its job.
public record DatasetName(String value) {
  public DatasetName {
    Names.check("a dataset", value);
  }

  @Override
  public String toString() {
    return value;
  }
}

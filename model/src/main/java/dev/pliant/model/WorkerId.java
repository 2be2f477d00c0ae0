package dev.pliant.model;

/// A worker's name, unique in its job: one training process.
public record WorkerId(String value) {
  public WorkerId {
    Names.check("a worker", value);
  }

  @Override
  public String toString() {
    return value;
  }
}

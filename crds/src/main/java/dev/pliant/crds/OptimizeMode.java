package dev.pliant.crds;

/// Who proposes a job's size and resources.
public enum OptimizeMode {
  /// Its users alone.
  MANUAL("manual"),
  /// Its own master, from what it sees of this job.
  SINGLE_JOB("single-job"),
  /// Brain, from the history of all jobs.
  CLUSTER("cluster");

  private final String spelling;

  OptimizeMode(String spelling) {
    this.spelling = spelling;
  }

  public String spelling() {
    return spelling;
  }
}

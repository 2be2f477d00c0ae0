package dev.pliant.model;

/// What can be wrong with a request, one code a cause. Users meet it in three forms that are mapped
/// from here once: a gRPC status, a Kubernetes condition and an exit code of the command line.
public enum ErrorCode {
  /// A name is empty, too long, or has a character that names may not have.
  BAD_NAME(Category.INVALID),
  /// A dataset without records, or with fewer than none.
  BAD_DATASET_SIZE(Category.INVALID),
  /// A shard or batch of no records, or of more than the dataset has.
  BAD_SHARD_SIZE(Category.INVALID),
  /// An epoch count below one.
  BAD_EPOCHS(Category.INVALID),
  /// A shuffle that the source cannot do.
  BAD_SHUFFLE(Category.INVALID),
  /// A retry count out of its bounds.
  BAD_RETRIES(Category.INVALID),
  /// Partitions that shrink, repeat or start after their end.
  BAD_PARTITION(Category.INVALID),
  /// More of something than one message may hold.
  TOO_MANY(Category.INVALID),
  /// A message that lacks what it must have, or has a value that means nothing.
  BAD_MESSAGE(Category.INVALID),
  /// A record, shard or step beyond the dataset's end.
  OUT_OF_RANGE(Category.OUT_OF_RANGE),
  /// No dataset of that name.
  UNKNOWN_DATASET(Category.NOT_FOUND),
  /// A lease that was never given.
  UNKNOWN_LEASE(Category.NOT_FOUND),
  /// No worker of that name.
  UNKNOWN_WORKER(Category.NOT_FOUND),
  /// No checkpoint of that number.
  UNKNOWN_CHECKPOINT(Category.NOT_FOUND),
  /// No job of that name.
  UNKNOWN_JOB(Category.NOT_FOUND),
  /// The name is taken by a dataset with other parameters.
  DATASET_EXISTS(Category.EXISTS),
  /// A job of that name has run before.
  JOB_EXISTS(Category.EXISTS),
  /// The dataset is consumed the other way: by steps, not shards, or by shards, not steps.
  WRONG_CONSUMPTION(Category.PRECONDITION),
  /// The worker has opened another stream in this one's place.
  STREAM_REPLACED(Category.PRECONDITION),
  /// The checkpoint belongs to another job, or to other datasets.
  FOREIGN_CHECKPOINT(Category.PRECONDITION),
  /// The checkpoint's bytes are not what was written.
  DAMAGED_CHECKPOINT(Category.DATA_LOSS),
  /// The journal is damaged in its middle.
  DAMAGED_JOURNAL(Category.DATA_LOSS),
  /// The journal belongs to another job.
  FOREIGN_JOURNAL(Category.PRECONDITION),
  /// The journal has a format version, or a value, that this Pliant does not read.
  JOURNAL_VERSION(Category.PRECONDITION),
  /// No token came with the call, or one that is not right.
  NO_TOKEN(Category.UNAUTHENTICATED),
  /// The token of another job.
  FOREIGN_TOKEN(Category.FORBIDDEN),
  /// More work is waiting than the master takes on at once.
  OVERLOADED(Category.EXHAUSTED),
  /// The journal cannot be written now, for instance because the disk is full.
  JOURNAL_STALLED(Category.UNAVAILABLE),
  /// A newer master has taken over.
  FENCED(Category.UNAVAILABLE),
  /// The master is stopping.
  STOPPING(Category.UNAVAILABLE),
  /// A job file that cannot be read or means nothing.
  BAD_JOB_FILE(Category.INVALID),
  /// A plan for a master that cannot be carried out.
  BAD_JOB_PLAN(Category.INVALID),
  /// The job is over, or is being ended.
  JOB_OVER(Category.PRECONDITION),
  /// The job has no nodes of its own: others start its processes.
  NO_NODES(Category.PRECONDITION),
  /// No cluster answers, or none was named.
  NO_CLUSTER(Category.UNAVAILABLE),
  /// The cluster answers but lacks what Pliant installs there.
  NOT_INSTALLED(Category.PRECONDITION),
  /// The cluster does not let this user do that.
  NOT_ALLOWED(Category.FORBIDDEN),
  /// The cluster was asked for something, and it has not come about in time.
  CLUSTER_SLOW(Category.UNAVAILABLE),
  /// A defect of Pliant's.
  INTERNAL(Category.INTERNAL);

  /// What kind of thing is wrong, hence what a caller may do about it.
  public enum Category {
    INVALID,
    OUT_OF_RANGE,
    NOT_FOUND,
    EXISTS,
    PRECONDITION,
    DATA_LOSS,
    UNAUTHENTICATED,
    FORBIDDEN,
    EXHAUSTED,
    UNAVAILABLE,
    INTERNAL
  }

  private final Category category;

  ErrorCode(Category category) {
    this.category = category;
  }

  public Category category() {
    return category;
  }
}

package dev.pliant.machine.shards;

/// Why a dataset failed: the shard that ran out of retries, the worker that had it last, and the
/// cause.
public record Failure(long shard, String worker, String cause) {}

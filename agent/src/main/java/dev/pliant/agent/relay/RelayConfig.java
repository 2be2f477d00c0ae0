package dev.pliant.agent.relay;

import dev.pliant.model.JobId;
import java.time.Duration;

/// What the relay between processes and master goes by.
///
/// @param leaseAhead shards to hold ahead of each process, at most
/// @param answerWithin how long a process waits for a shard before it is told to ask again
/// @param masterAway how long any other request waits for a master that is away
/// @param silence how long the master may leave a message on a stream without an answer
/// @param exitWithin how long to wait for the exit code of a process whose connection ended
public record RelayConfig(
    JobId job,
    int leaseAhead,
    Duration answerWithin,
    Duration masterAway,
    Duration silence,
    Duration exitWithin) {}

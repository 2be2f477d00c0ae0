package dev.pliant.agent;

import dev.pliant.agent.relay.RelayConfig;
import java.time.Duration;

/// How long an agent waits for what. Only tests need others than the defaults.
///
/// @param answerWithin how long a process waits for a shard before it is told to ask again
/// @param masterAway how long any other request waits for a master that is away
/// @param silence how long the master may leave a message on a stream without an answer
/// @param exitWithin how long to wait for the exit code of a process whose connection ended
/// @param heartbeat how often the master gets a sign of life, at least
/// @param processGrace how long processes may take to end when asked to
/// @param closeWithin how long closing takes altogether, at most
record AgentTiming(
    Duration answerWithin,
    Duration masterAway,
    Duration silence,
    Duration exitWithin,
    Duration heartbeat,
    Duration processGrace,
    Duration closeWithin) {

  static final AgentTiming DEFAULT =
      new AgentTiming(
          Duration.ofSeconds(10),
          Duration.ofMinutes(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  RelayConfig relay(AgentConfig config) {
    return new RelayConfig(
        config.job(), config.leaseAhead(), answerWithin, masterAway, silence, exitWithin);
  }
}

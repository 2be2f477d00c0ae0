package dev.pliant.agent;

import dev.pliant.agent.relay.RelayConfig;
import java.time.Duration;

/// How long an agent waits for what. Only tests need others than the defaults.
///
/// @param answerWithin how long a process waits for an answer before it is told to ask again
/// @param masterAway how long any other request waits for a master that is away
/// @param silence how long the master may leave a message on a stream without an answer
/// @param exitWithin how long to wait for the exit of a process whose connections ended; then it
///   counts as gone
/// @param heartbeat how often the master gets a sign of life, at least
/// @param terminate how long processes may take to end when told to, before they are killed
/// @param stopped how long a process may be stopped before it is killed
/// @param blame how long to wait, where a process that cannot change its group fails, for word that
///   another one is to blame
/// @param closeWithin how long closing takes altogether, at most
record AgentTiming(
    Duration answerWithin,
    Duration masterAway,
    Duration silence,
    Duration exitWithin,
    Duration heartbeat,
    Duration terminate,
    Duration stopped,
    Duration blame,
    Duration closeWithin) {

  static final AgentTiming DEFAULT =
      new AgentTiming(
          Duration.ofSeconds(10),
          Duration.ofMinutes(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(2),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(3),
          Duration.ofMillis(250),
          Duration.ofSeconds(15));

  RelayConfig relay(AgentConfig config) {
    return new RelayConfig(
        config.job(), config.leaseAhead(), answerWithin, masterAway, silence, exitWithin);
  }
}

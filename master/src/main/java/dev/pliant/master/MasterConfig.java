package dev.pliant.master;

import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.rendezvous.RendezvousRules;
import dev.pliant.model.JobId;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/// How a master is to run.
///
/// @param folder the job's folder: journal, token, certificate, and `master.json` once it serves
/// @param listen where to serve; port 0 takes a free one
/// @param insecureLoopback serve without TLS, which only a loopback address may
/// @param heartbeatTimeout how long a worker may be silent before it counts as lost
/// @param rules by which workers that train together become groups
public record MasterConfig(
    JobId job,
    Path folder,
    InetSocketAddress listen,
    boolean insecureLoopback,
    Duration heartbeatTimeout,
    JobOwner.Limits limits,
    RendezvousRules rules) {

  public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(15);

  public MasterConfig {
    if (insecureLoopback && !listen.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "TLS can be left out on a loopback address only, not on " + listen);
    }
  }

  /// TLS on a free port of the loopback interface.
  public static MasterConfig of(JobId job, Path folder) {
    return new MasterConfig(
        job,
        folder,
        new InetSocketAddress("127.0.0.1", 0),
        false,
        HEARTBEAT_TIMEOUT,
        JobOwner.Limits.DEFAULT,
        RendezvousRules.DEFAULT);
  }

  public MasterConfig withListen(InetSocketAddress address) {
    return new MasterConfig(
        job, folder, address, insecureLoopback, heartbeatTimeout, limits, rules);
  }

  public MasterConfig withInsecureLoopback(boolean insecure) {
    return new MasterConfig(job, folder, listen, insecure, heartbeatTimeout, limits, rules);
  }

  public MasterConfig withHeartbeatTimeout(Duration timeout) {
    return new MasterConfig(job, folder, listen, insecureLoopback, timeout, limits, rules);
  }

  public MasterConfig withLimits(JobOwner.Limits newLimits) {
    return new MasterConfig(
        job, folder, listen, insecureLoopback, heartbeatTimeout, newLimits, rules);
  }

  public MasterConfig withRules(RendezvousRules newRules) {
    return new MasterConfig(
        job, folder, listen, insecureLoopback, heartbeatTimeout, limits, newRules);
  }
}

package dev.pliant.master;

import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.master.platform.local.LocalPlatform;
import dev.pliant.master.rendezvous.RendezvousRules;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How a master is to run.
///
/// @param folder the job's folder: journal, token, certificate, and `master.json` once it serves
/// @param listen where to serve; port 0 takes a free one
/// @param insecureLoopback serve without TLS, which only a loopback address may
/// @param heartbeatTimeout how long a worker may be silent before it counts as lost
/// @param rules by which workers that train together become groups; where the job has nodes of its
///   own, their plan says how many, and this only how long anybody waits
/// @param nodes null where others start the job's processes
/// @param secret a folder with the job's token and certificate, or null where the job's folder has
///   them or they are made
/// @param epochAbove the master's epoch is higher than this, whatever its journal says
public record MasterConfig(
    JobId job,
    Path folder,
    InetSocketAddress listen,
    boolean insecureLoopback,
    Duration heartbeatTimeout,
    JobOwner.Limits limits,
    RendezvousRules rules,
    @Nullable NodeConfig nodes,
    @Nullable Path secret,
    long epochAbove) {

  /// How a master runs its job's nodes.
  ///
  /// @param platform the platform's name
  /// @param agentCommand how an agent is started, up to its arguments
  /// @param grace how long an agent gives its processes to end
  /// @param killAfter how long a node may take to go before it is killed
  /// @param settings what only some platforms need to know, by name
  /// @param reserved by role, numbers that nodes had under a master whose journal is lost
  public record NodeConfig(
      JobPlan plan,
      String platform,
      List<String> agentCommand,
      Duration grace,
      Duration killAfter,
      Map<String, String> settings,
      SortedMap<String, Integer> reserved) {
    public NodeConfig {
      agentCommand = List.copyOf(agentCommand);
      settings = Map.copyOf(settings);
      reserved = Collections.unmodifiableSortedMap(new TreeMap<>(reserved));
    }

    /// Nodes as pods of a cluster, whose templates say how an agent is started and how it ends.
    public static NodeConfig kubernetes(
        JobPlan plan, Map<String, String> settings, SortedMap<String, Integer> reserved) {
      return new NodeConfig(
          plan,
          KUBERNETES,
          List.of(),
          PlatformConfig.GRACE,
          PlatformConfig.GRACE.plus(PlatformConfig.MORE_GRACE),
          settings,
          reserved);
    }

    /// Nodes as processes of this machine.
    public static NodeConfig local(JobPlan plan, List<String> agentCommand) {
      return new NodeConfig(
          plan,
          LocalPlatform.NAME,
          agentCommand,
          PlatformConfig.GRACE,
          PlatformConfig.GRACE.plus(PlatformConfig.MORE_GRACE),
          Map.of(),
          Collections.emptySortedMap());
    }
  }

  /// The platform of clusters; spelled here so that no other master loads its classes.
  public static final String KUBERNETES = "kubernetes";

  public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration FIRST_WORD = Duration.ofSeconds(90);

  public MasterConfig {
    if (nodes != null && !nodes.plan().job().equals(job)) {
      throw new IllegalArgumentException(
          "the plan is of job %s, and the master of %s".formatted(nodes.plan().job(), job));
    }
    if (insecureLoopback && !listen.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "TLS can be left out on a loopback address only, not on " + listen);
    }
  }

  /// How long agents may take to find a new master. Those of other machines find it through a
  /// network that has to learn of it first; nothing but silence speaks against them meanwhile.
  public Duration firstWord() {
    return nodes == null || nodes.platform().equals(LocalPlatform.NAME)
        ? heartbeatTimeout
        : heartbeatTimeout.compareTo(FIRST_WORD) > 0 ? heartbeatTimeout : FIRST_WORD;
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
        RendezvousRules.DEFAULT,
        null,
        null,
        0);
  }

  public MasterConfig withListen(InetSocketAddress address) {
    return new MasterConfig(
        job,
        folder,
        address,
        insecureLoopback,
        heartbeatTimeout,
        limits,
        rules,
        nodes,
        secret,
        epochAbove);
  }

  public MasterConfig withInsecureLoopback(boolean insecure) {
    return new MasterConfig(
        job, folder, listen, insecure, heartbeatTimeout, limits, rules, nodes, secret, epochAbove);
  }

  public MasterConfig withHeartbeatTimeout(Duration timeout) {
    return new MasterConfig(
        job, folder, listen, insecureLoopback, timeout, limits, rules, nodes, secret, epochAbove);
  }

  public MasterConfig withLimits(JobOwner.Limits newLimits) {
    return new MasterConfig(
        job,
        folder,
        listen,
        insecureLoopback,
        heartbeatTimeout,
        newLimits,
        rules,
        nodes,
        secret,
        epochAbove);
  }

  public MasterConfig withRules(RendezvousRules newRules) {
    return new MasterConfig(
        job,
        folder,
        listen,
        insecureLoopback,
        heartbeatTimeout,
        limits,
        newRules,
        nodes,
        secret,
        epochAbove);
  }

  public MasterConfig withNodes(NodeConfig newNodes) {
    return new MasterConfig(
        job,
        folder,
        listen,
        insecureLoopback,
        heartbeatTimeout,
        limits,
        rules,
        newNodes,
        secret,
        epochAbove);
  }

  public MasterConfig withSecret(Path newSecret) {
    return new MasterConfig(
        job,
        folder,
        listen,
        insecureLoopback,
        heartbeatTimeout,
        limits,
        rules,
        nodes,
        newSecret,
        epochAbove);
  }

  public MasterConfig withEpochAbove(long epoch) {
    return new MasterConfig(
        job,
        folder,
        listen,
        insecureLoopback,
        heartbeatTimeout,
        limits,
        rules,
        nodes,
        secret,
        epoch);
  }
}

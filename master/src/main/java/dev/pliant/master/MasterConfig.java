package dev.pliant.master;

import dev.pliant.machine.nodes.LostJournal;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.master.platform.local.LocalPlatform;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
  /// @param lost what is known of a time before whose journal is lost
  public record NodeConfig(
      JobPlan plan,
      String platform,
      List<String> agentCommand,
      Duration grace,
      Duration killAfter,
      Map<String, String> settings,
      LostJournal lost) {
    public NodeConfig {
      agentCommand = List.copyOf(agentCommand);
      settings = Map.copyOf(settings);
    }

    /// Nodes as pods of a cluster, whose templates say how an agent is started and how it ends.
    public static NodeConfig kubernetes(
        JobPlan plan, Map<String, String> settings, LostJournal lost) {
      return new NodeConfig(
          plan,
          KUBERNETES,
          List.of(),
          PlatformConfig.GRACE,
          PlatformConfig.GRACE.plus(PlatformConfig.MORE_GRACE),
          settings,
          lost);
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
          LostJournal.NONE);
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

  /// TLS on a free port of the loopback interface; others start the job's processes.
  public static MasterConfig of(JobId job, Path folder) {
    return builder(job, folder).build();
  }

  /// The same, where something is to be otherwise.
  public static Builder builder(JobId job, Path folder) {
    return new Builder(job, folder);
  }

  /// A config while it is being put together.
  public static final class Builder {
    private final JobId job;
    private final Path folder;
    private InetSocketAddress listen = new InetSocketAddress("127.0.0.1", 0);
    private boolean insecureLoopback;
    private Duration heartbeatTimeout = HEARTBEAT_TIMEOUT;
    private RendezvousRules rules = RendezvousRules.DEFAULT;
    private @Nullable NodeConfig nodes;
    private @Nullable Path secret;
    private long epochAbove;

    private Builder(JobId job, Path folder) {
      this.job = job;
      this.folder = folder;
    }

    public Builder listen(InetSocketAddress address) {
      listen = address;
      return this;
    }

    public Builder insecureLoopback(boolean insecure) {
      insecureLoopback = insecure;
      return this;
    }

    public Builder heartbeatTimeout(Duration timeout) {
      heartbeatTimeout = timeout;
      return this;
    }

    public Builder rules(RendezvousRules newRules) {
      rules = newRules;
      return this;
    }

    public Builder nodes(NodeConfig newNodes) {
      nodes = newNodes;
      return this;
    }

    public Builder secret(Path newSecret) {
      secret = newSecret;
      return this;
    }

    public Builder epochAbove(long epoch) {
      epochAbove = epoch;
      return this;
    }

    public MasterConfig build() {
      return new MasterConfig(
          job,
          folder,
          listen,
          insecureLoopback,
          heartbeatTimeout,
          rules,
          nodes,
          secret,
          epochAbove);
    }
  }
}

package dev.pliant.master;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Silence;
import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.owner.Deadlines;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.master.platform.NodeExecutor;
import dev.pliant.master.platform.Platform;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.master.service.DataGrpc;
import dev.pliant.master.service.JobGrpc;
import dev.pliant.master.service.Liveness;
import dev.pliant.master.service.NetworkThreads;
import dev.pliant.master.service.NodeLiveness;
import dev.pliant.master.service.RendezvousGrpc;
import dev.pliant.master.stats.StatsCollector;
import dev.pliant.model.PliantException;
import dev.pliant.rpc.Tls;
import dev.pliant.rpc.TokenCheck;
import dev.pliant.rpc.identity.JobToken;
import dev.pliant.rpc.identity.ServerIdentity;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A job's training master: its owner, its services, its timers. It can be killed at any instant;
/// the next one started on the same folder goes on where it was.
public final class Master implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Master.class);

  private static final int MAX_MESSAGE = 4 << 20;
  private static final int MAX_METADATA = 16 << 10;
  private static final int STATS_SECONDS = 5;

  private final JobOwner owner;
  private final NetworkThreads network;
  private final Server server;
  private final ScheduledExecutorService timers;
  private final StatsFile stats;
  private final @Nullable NodeExecutor nodes;

  private Master(
      JobOwner owner,
      NetworkThreads network,
      Server server,
      ScheduledExecutorService timers,
      StatsFile stats,
      @Nullable NodeExecutor nodes) {
    this.owner = owner;
    this.network = network;
    this.server = server;
    this.timers = timers;
    this.stats = stats;
    this.nodes = nodes;
  }

  /// Takes the job over from whatever master had it, and serves.
  public static Master start(MasterConfig config, InstantSource clock) throws IOException {
    SecureRandom random = new SecureRandom();
    MasterFiles folder = MasterFiles.open(config.folder(), config.secret(), config.job());
    JobToken token = folder.token(random);
    if (!config.insecureLoopback()) {
      folder.ensureCertificate(clock, random);
    }
    JobOwner owner =
        JobOwner.start(
            config.job(),
            JournalStores.open(
                JournalLocation.createdFolder(folder.journal()), config.job(), config.epochAbove()),
            JobOwner.Limits.DEFAULT,
            clock);
    owner.submit(new Request(List.of(new Command.SetRules(rules(config))), new Logged()));
    NetworkThreads network = NetworkThreads.make();
    try {
      return serve(config, folder, token, owner, network, clock);
    } catch (IOException | RuntimeException e) {
      owner.close();
      network.close();
      throw e;
    }
  }

  private static RendezvousRules rules(MasterConfig config) {
    MasterConfig.NodeConfig nodes = config.nodes();
    RendezvousRules given = config.rules();
    return nodes == null
        ? given
        : RendezvousRules.of(nodes.plan())
            .withPatience(given.abortAfter(), given.leaveOutAfter(), given.belowMinFor());
  }

  private static Master serve(
      MasterConfig config,
      MasterFiles folder,
      JobToken token,
      JobOwner owner,
      NetworkThreads network,
      InstantSource clock)
      throws IOException {
    Silence.Limits limits =
        new Silence.Limits(config.heartbeatTimeout().toMillis(), config.firstWord().toMillis());
    LongSupplier millis = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    Liveness liveness = new Liveness(limits, owner.recoveredWorkers(), millis);
    NodeLiveness nodeLiveness = new NodeLiveness(limits, millis);
    owner.listen(nodeLiveness);
    StatsCollector stats = new StatsCollector();
    StatsFile statsFile = new StatsFile(folder.stats(), stats, owner::current);
    statsFile.recall();
    HealthStatusManager health = new HealthStatusManager();
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(config.listen())
            // Nothing in the services blocks, so calls need no thread of their own.
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE)
            .maxInboundMetadataSize(MAX_METADATA)
            .permitKeepAliveTime(5, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .intercept(new TokenCheck(token::check))
            .addService(new DataGrpc(config.job(), owner, network, liveness))
            .addService(
                new JobGrpc(
                    owner,
                    network,
                    liveness,
                    nodeLiveness,
                    stats,
                    () ->
                        JournalStores.open(JournalLocation.folder(folder.journal()), config.job()),
                    clock))
            .addService(new RendezvousGrpc(owner, network, liveness))
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance());
    network.serve(builder);
    if (!config.insecureLoopback()) {
      ServerIdentity identity = ServerIdentity.read(folder.certificate(), folder.privateKey());
      builder.sslContext(Tls.server(identity));
    }
    Server server = builder.build().start();
    ScheduledExecutorService timers = timers(owner, liveness, nodeLiveness, stats);
    timers.scheduleWithFixedDelay(
        () -> Thread.startVirtualThread(statsFile::write),
        STATS_SECONDS,
        STATS_SECONDS,
        TimeUnit.SECONDS);
    owner.listen(new Deadlines(owner, clock, timers));
    String host = config.listen().getAddress().getHostAddress();
    try {
      folder.writeAddress(host + ":" + server.getPort(), owner.epoch(), !config.insecureLoopback());
    } catch (IOException e) {
      timers.shutdownNow();
      server.shutdownNow();
      throw e;
    }
    log.info(
        "master of job {}, epoch {}, serves on {}:{}",
        config.job(),
        owner.epoch(),
        host,
        server.getPort());
    NodeExecutor nodes = config.nodes() == null ? null : nodes(config, owner, nodeLiveness, timers);
    return new Master(owner, network, server, timers, statsFile, nodes);
  }

  private static NodeExecutor nodes(
      MasterConfig config, JobOwner owner, NodeLiveness liveness, ScheduledExecutorService timers)
      throws IOException {
    MasterConfig.NodeConfig nodes = Objects.requireNonNull(config.nodes());
    Platform.Opened platform =
        Platform.named(nodes.platform())
            .open(
                new PlatformConfig(
                    nodes.plan(),
                    config.folder(),
                    nodes.agentCommand(),
                    nodes.grace(),
                    nodes.killAfter(),
                    owner::current,
                    owner.epoch(),
                    nodes.settings()));
    NodeExecutor executor =
        new NodeExecutor(owner, nodes.plan(), nodes.lost(), platform, liveness::runs, timers);
    platform.over().thenRunAsync(owner::close);
    executor.start();
    return executor;
  }

  private static ScheduledExecutorService timers(
      JobOwner owner, Liveness liveness, NodeLiveness nodes, StatsCollector stats) {
    ScheduledExecutorService timers =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("timers").daemon().factory());
    timers.scheduleWithFixedDelay(() -> liveness.check(owner), 500, 500, TimeUnit.MILLISECONDS);
    timers.scheduleWithFixedDelay(() -> nodes.check(owner), 500, 500, TimeUnit.MILLISECONDS);
    timers.scheduleWithFixedDelay(
        () -> owner.submit(new Request(List.of(new Command.GetJob()), new Measured(stats))),
        1,
        1,
        TimeUnit.SECONDS);
    return timers;
  }

  public int port() {
    return server.getPort();
  }

  /// Which master this is: higher than every one before.
  public long epoch() {
    return owner.epoch();
  }

  /// Waits until the master ends by itself, and returns why: another master took over, or a defect.
  /// Null where it was closed.
  public @Nullable PliantException awaitTermination() throws InterruptedException {
    return owner.awaitEnd();
  }

  /// Stops the job and waits until it is over; returns at once where it has no nodes of its own.
  ///
  /// @param who stops it, for people
  /// @param bound how long to wait at most
  public void stopJob(String who, Duration bound) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    owner.submit(new Request(List.of(new Command.StopJob(who)), new Stopped(over)));
    owner.listen(outlook -> {
      if (outlook.nodes().job().phase().ended()) {
        over.countDown();
      }
    });
    if (!over.await(bound.toMillis(), TimeUnit.MILLISECONDS)) {
      log.warn("the job is not over {} after it was stopped", bound);
    }
  }

  /// Answers what is waiting, writes a snapshot, and ends. Nodes are left as they are.
  @Override
  public void close() {
    if (nodes != null) {
      nodes.close();
    }
    timers.shutdownNow();
    server.shutdown();
    stats.write(); // While its word still counts.
    owner.close();
    try {
      // Agents keep their streams open for as long as they can.
      if (!server.awaitTermination(500, TimeUnit.MILLISECONDS)) {
        server.shutdownNow().awaitTermination(2, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    network.close();
  }

  /// Takes how far the job is for the statistics.
  private record Measured(StatsCollector stats) implements Request.Reply {
    @Override
    public void answer(List<Answer> answers) {
      Answer.Job job = (Answer.Job) answers.getFirst();
      long records = job.datasets().stream().mapToLong(Answer.Progress::recordsDone).sum();
      long steps = job.datasets().stream().mapToLong(Answer.Progress::stepsDone).sum();
      stats.collectProgress(System.nanoTime(), records, steps);
      stats.retain(job.nodes().nodes().stream().map(Node::id).toList());
    }

    @Override
    public void fail(PliantException why) {
      log.debug("nothing is measured: {}", why.getMessage());
    }
  }

  /// A job that cannot be stopped is not waited for.
  private record Stopped(CountDownLatch over) implements Request.Reply {
    @Override
    public void answer(List<Answer> answers) {}

    @Override
    public void fail(PliantException why) {
      log.info("the job was not stopped: {}", why.getMessage());
      over.countDown();
    }
  }

  /// The reply of a command that nobody waits for.
  private static final class Logged implements Request.Reply {
    @Override
    public void answer(List<Answer> answers) {}

    @Override
    public void fail(PliantException why) {
      log.debug("a command was refused: {}", why.getMessage());
    }
  }
}

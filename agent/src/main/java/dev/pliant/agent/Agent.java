package dev.pliant.agent;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.node.Activity;
import dev.pliant.agent.node.ActivityBook;
import dev.pliant.agent.node.Node;
import dev.pliant.agent.node.NodeEnd;
import dev.pliant.agent.processes.ProcessEnd;
import dev.pliant.agent.processes.ProcessEnvironment;
import dev.pliant.agent.processes.TrainingProcesses;
import dev.pliant.agent.processes.Usage;
import dev.pliant.agent.relay.Heartbeats;
import dev.pliant.agent.relay.WorkerRoster;
import dev.pliant.agent.socket.SocketServer;
import dev.pliant.agent.steps.StepDesk;
import dev.pliant.agent.world.WorldDesk;
import dev.pliant.agent.world.WorldView;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.NodeUsage;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent of a node: listens to its training processes, speaks to the master for them, and
/// starts and ends them where it is told to. The master may come, go and move meanwhile.
public final class Agent implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Agent.class);

  /// How long after the end of a process its connections may stay open, should a bye be unread.
  private static final Duration LINGER = Duration.ofSeconds(1);

  /// How long the last words on worlds may take.
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  /// Incarnations in a millisecond: more than an agent gives in that time.
  private static final long INCARNATIONS_PER_MILLI = 1_000;

  /// What a time source and chance are to an agent.
  record Circumstances(LongSupplier nanoTime, InstantSource clock, RandomGenerator chance) {
    static Circumstances real() {
      return new Circumstances(System::nanoTime, InstantSource.system(), new SplittableRandom());
    }
  }

  private final AgentTiming timing;
  private final LongSupplier nanoTime;
  private final MasterConnection master;
  private final ActivityBook activities = new ActivityBook();
  private final Optional<Node> node;
  private final Optional<TrainingProcesses> processes;
  private final WorldDesk worlds;
  private final StepDesk steps;
  private final WorkerRoster roster;
  private final Heartbeats heartbeats;
  private final SocketServer server;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  private Agent(AgentConfig config, AgentTiming timing, Circumstances circumstances)
      throws IOException {
    this.timing = timing;
    this.nanoTime = circumstances.nanoTime();
    this.master = new MasterConnection(config.master(), nanoTime);
    MasterCalls calls = new MasterCalls(master, nanoTime, circumstances.chance());
    this.node = config.workers().map(workers -> node(config, workers, circumstances));
    this.processes = config.workers().map(workers -> processes(config, workers));
    this.worlds =
        WorldDesk.start(
            config.node(),
            circumstances.clock().millis() * INCARNATIONS_PER_MILLI,
            calls,
            timing.answerWithin(),
            nanoTime,
            this::viewed);
    this.steps = new StepDesk(calls, nanoTime);
    this.roster =
        new WorkerRoster(
            timing.relay(config), calls, nanoTime, this::exitOf, worlds, steps, activities);
    try {
      this.server = SocketServer.start(config.socket(), roster);
    } catch (IOException | RuntimeException e) {
      master.close();
      throw e;
    }
    this.heartbeats =
        Heartbeats.start(roster, speaker(config), calls, timing.heartbeat(), nanoTime);
    if (node.isPresent() && processes.isPresent()) {
      node.get().start(processes.get(), worlds);
    }
  }

  private Node node(AgentConfig config, Workers workers, Circumstances circumstances) {
    return new Node(
        workers.names(config.node()),
        workers,
        new ProcessEnvironment(config.job(), config.socket(), workers, System.getenv()),
        activities,
        timing.terminate(),
        timing.blame(),
        nanoTime,
        circumstances.chance());
  }

  private TrainingProcesses processes(AgentConfig config, Workers workers) {
    return new TrainingProcesses(
        config.socket(),
        workers.logs(),
        workers.printing(),
        timing.stopped(),
        nanoTime,
        new TrainingProcesses.Listener() {
          @Override
          public void exited(WorkerId worker, ProcessEnd end) {
            node.ifPresent(its -> its.exited(worker, end));
          }

          @Override
          public void cleared(WorkerId worker) {
            node.ifPresent(its -> its.cleared(worker));
            disconnectLater(worker);
          }
        });
  }

  private Optional<Heartbeats.Speaker> speaker(AgentConfig config) {
    return node.map(its -> new Heartbeats.Speaker(config.node(), this::usage, its::givenUp));
  }

  private NodeUsage usage() {
    Usage used = processes.map(TrainingProcesses::usage).orElse(new Usage(0, 0));
    NodeUsage.Builder message =
        NodeUsage.newBuilder().setCpu(used.cores()).setMemoryMib(used.memoryMib());
    for (Map.Entry<Activity, Long> entry : activities.millis(nanoTime.getAsLong()).entrySet()) {
      message.putActivityMs(entry.getKey().word(), entry.getValue());
    }
    return message.build();
  }

  private void viewed(WorldView view) {
    node.ifPresent(its -> its.viewed(view));
  }

  private Optional<CompletableFuture<Integer>> exitOf(WorkerId worker) {
    return processes.flatMap(all -> all.exitOf(worker));
  }

  /// Starts an agent, and with it the processes it is to run. It does not wait for the master.
  ///
  /// @throws UncheckedIOException where the socket cannot be had
  public static Agent start(AgentConfig config) {
    return start(config, AgentTiming.DEFAULT, Circumstances.real());
  }

  static Agent start(AgentConfig config, AgentTiming timing, Circumstances circumstances) {
    try {
      return new Agent(config, timing, circumstances);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the agent of node %s cannot start: %s".formatted(config.node(), e.getMessage()), e);
    }
  }

  /// What kept the connections of an ended process open is not the worker.
  private void disconnectLater(WorkerId worker) {
    Thread.startVirtualThread(() -> {
      try {
        Thread.sleep(LINGER);
      } catch (InterruptedException _) {
        return;
      }
      if (exitOf(worker).map(CompletableFuture::isDone).orElse(true)) {
        roster.disconnect(worker);
      }
    });
  }

  /// Where training processes find this agent.
  public Path socket() {
    return server.socket();
  }

  /// What the node ends with; never, where others start its processes.
  public CompletableFuture<NodeEnd> end() {
    return node.map(Node::end).orElseGet(CompletableFuture::new);
  }

  /// The node is to go: its processes leave their world, then end. A second time hastens it.
  public void drain() {
    node.ifPresent(Node::drain);
  }

  /// Stops: takes no more connections, ends its processes, gives back what they did not begin,
  /// delivers their reports and steps and tells the master that they ended. Bounded; what could not
  /// be said by then the master finds out by silence.
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      awaitClosed();
      return;
    }
    long deadline = nanoTime.getAsLong() + timing.closeWithin().toNanos();
    try {
      server.stopAccepting();
      if (processes.isPresent()) {
        processes.get().stop(timing.terminate());
      }
      server.close();
      if (!(roster.awaitEnds(until(deadline)) & steps.close(until(deadline)))) {
        log.warn("the agent stops with something still to say to a master that does not answer");
      }
      worlds.close(LAST_WORDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      roster.abort();
      heartbeats.close();
      server.close();
      processes.ifPresent(TrainingProcesses::close);
      master.close();
      closed.countDown();
    }
  }

  private Duration until(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - nanoTime.getAsLong()));
  }

  /// Whoever closes second may not go on before it is done.
  private void awaitClosed() {
    try {
      closed.await(2 * timing.closeWithin().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

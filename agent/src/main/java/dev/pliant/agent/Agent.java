package dev.pliant.agent;

import dev.pliant.agent.master.MasterCalls;
import dev.pliant.agent.master.MasterConnection;
import dev.pliant.agent.processes.TrainingProcesses;
import dev.pliant.agent.relay.Heartbeats;
import dev.pliant.agent.relay.WorkerRoster;
import dev.pliant.agent.socket.SocketServer;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  private final AgentConfig config;
  private final AgentTiming timing;
  private final LongSupplier nanoTime;
  private final TrainingProcesses processes = new TrainingProcesses();
  private final MasterConnection master;
  private final WorkerRoster roster;
  private final Heartbeats heartbeats;
  private final SocketServer server;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  private Agent(
      AgentConfig config, AgentTiming timing, LongSupplier nanoTime, RandomGenerator chance)
      throws IOException {
    this.config = config;
    this.timing = timing;
    this.nanoTime = nanoTime;
    this.master = new MasterConnection(config.master(), nanoTime);
    MasterCalls calls = new MasterCalls(master, nanoTime, chance);
    this.roster = new WorkerRoster(timing.relay(config), calls, nanoTime, processes::exitOf);
    try {
      this.server = SocketServer.start(config.socket(), roster);
    } catch (IOException | RuntimeException e) {
      master.close();
      throw e;
    }
    this.heartbeats = Heartbeats.start(roster, calls, timing.heartbeat(), nanoTime);
  }

  /// Starts an agent, and with it the processes it is to run. It does not wait for the master.
  ///
  /// @throws UncheckedIOException where the socket or a process cannot be had
  public static Agent start(AgentConfig config) {
    return start(config, AgentTiming.DEFAULT, System::nanoTime, new SplittableRandom(), System.out);
  }

  static Agent start(
      AgentConfig config,
      AgentTiming timing,
      LongSupplier nanoTime,
      RandomGenerator chance,
      PrintStream console) {
    try {
      Agent agent = new Agent(config, timing, nanoTime, chance);
      try {
        agent.startProcesses(console);
      } catch (IOException | RuntimeException e) {
        agent.close();
        throw e;
      }
      return agent;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the agent of node %s cannot start: %s".formatted(config.node(), e.getMessage()), e);
    }
  }

  private void startProcesses(PrintStream console) throws IOException {
    if (config.workers().isPresent()) {
      processes.start(
          config.workers().get(),
          config.job(),
          config.node(),
          server.socket(),
          console,
          this::processEnded);
    }
  }

  /// What kept the connections of an ended process open is not the worker.
  private void processEnded(WorkerId worker) {
    Thread.startVirtualThread(() -> {
      try {
        Thread.sleep(LINGER);
      } catch (InterruptedException _) {
        return;
      }
      roster.disconnect(worker);
    });
  }

  /// Where training processes find this agent.
  public Path socket() {
    return server.socket();
  }

  /// Waits for the processes that this agent started to end, or for the time to be over.
  public WorkersResult awaitWorkers(Duration within) throws InterruptedException {
    long deadline = nanoTime.getAsLong() + within.toNanos();
    Map<WorkerId, Integer> codes = new LinkedHashMap<>();
    List<WorkerId> running = new ArrayList<>();
    for (Map.Entry<WorkerId, CompletableFuture<Integer>> exit : processes.exits().entrySet()) {
      try {
        long left = Math.max(0, deadline - nanoTime.getAsLong());
        codes.put(exit.getKey(), exit.getValue().get(left, TimeUnit.NANOSECONDS));
      } catch (TimeoutException _) {
        running.add(exit.getKey());
      } catch (ExecutionException e) {
        throw new IllegalStateException("the exit of a process never fails", e);
      }
    }
    return new WorkersResult(codes, running);
  }

  /// Stops: takes no more connections, ends its processes, gives back what they did not begin,
  /// delivers their reports and tells the master that they ended. Bounded; what could not be said
  /// by then the master finds out by silence.
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      awaitClosed();
      return;
    }
    long deadline = nanoTime.getAsLong() + timing.closeWithin().toNanos();
    try {
      server.stopAccepting();
      processes.stop(timing.processGrace(), nanoTime);
      server.close();
      if (!roster.awaitEnds(Duration.ofNanos(Math.max(0, deadline - nanoTime.getAsLong())))) {
        log.warn("the agent stops with something still to say to a master that does not answer");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      roster.abort();
      heartbeats.close();
      server.close();
      master.close();
      closed.countDown();
    }
  }

  /// Whoever closes second, for instance a shutdown hook, may not go on before it is done.
  private void awaitClosed() {
    try {
      closed.await(2 * timing.closeWithin().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

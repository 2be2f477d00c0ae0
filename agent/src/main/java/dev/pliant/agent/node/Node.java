package dev.pliant.agent.node;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.processes.Launch;
import dev.pliant.agent.processes.ProcessEnd;
import dev.pliant.agent.processes.ProcessEnvironment;
import dev.pliant.agent.processes.TrainingProcesses;
import dev.pliant.agent.world.Arrival;
import dev.pliant.agent.world.Placement;
import dev.pliant.agent.world.WorldDesk;
import dev.pliant.agent.world.WorldView;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The training processes of a node from their start to its end: a thread that owns a
/// [NodeMachine], feeds it what happens and does what it says.
public final class Node implements TrainingProcesses.Listener {
  private static final Logger log = LoggerFactory.getLogger(Node.class);

  /// So much of a failed worker's log fits into a message.
  private static final LogTail LOG_END = new LogTail(20, 4_000);

  /// How often to look for processes that somebody has stopped.
  private static final long LOOK_NANOS = Duration.ofMillis(500).toNanos();

  private final List<WorkerId> names;
  private final Workers workers;
  private final ProcessEnvironment environment;
  private final ActivityBook activities;
  private final LongSupplier nanoTime;
  private final NodeMachine machine;
  private final MeetingPort port;
  private final BlockingQueue<NodeEvent> inbox = new LinkedBlockingQueue<>();
  private final CompletableFuture<NodeEnd> end = new CompletableFuture<>();
  private final Runnable begin;

  @SuppressWarnings("NullAway.Init") // set by start, before the thread begins
  private TrainingProcesses processes;

  @SuppressWarnings("NullAway.Init") // set by start, before the thread begins
  private WorldDesk worlds;

  /// @param names its workers, by their local number
  /// @param terminate how long processes may take to end when told to
  /// @param blame how long to wait for word that another node is to blame
  public Node(
      List<WorkerId> names,
      Workers workers,
      ProcessEnvironment environment,
      ActivityBook activities,
      Duration terminate,
      Duration blame,
      LongSupplier nanoTime,
      RandomGenerator chance) {
    this.names = List.copyOf(names);
    this.workers = workers;
    this.environment = environment;
    this.activities = activities;
    this.nanoTime = nanoTime;
    this.port = new MeetingPort(chance);
    this.machine =
        new NodeMachine(
            new NodeMachine.Rules(
                workers.elasticity(), this.names, workers.grace(), terminate, blame));
    this.begin = () -> carryOut(machine.begin());
  }

  /// Begins.
  public void start(TrainingProcesses over, WorldDesk desk) {
    this.processes = over;
    this.worlds = desk;
    Thread.ofVirtual().name("pliant-node").start(this::run);
  }

  /// What the node ends with, once it has.
  public CompletableFuture<NodeEnd> end() {
    return end;
  }

  /// The node is to go; a second time hastens it.
  public void drain() {
    inbox.add(new NodeEvent.Drained());
  }

  /// The master has given the node up.
  public void givenUp() {
    inbox.add(new NodeEvent.GivenUp());
  }

  /// What the master says of the world.
  public void viewed(WorldView view) {
    inbox.add(new NodeEvent.Viewed(view));
  }

  @Override
  public void exited(WorkerId worker, ProcessEnd how) {
    inbox.add(new NodeEvent.Exited(worker, how));
  }

  @Override
  public void cleared(WorkerId worker) {
    inbox.add(new NodeEvent.Cleared(worker));
  }

  private void run() {
    try {
      begin.run();
      long lookAt = nanoTime.getAsLong() + LOOK_NANOS;
      while (!end.isDone()) {
        long now = nanoTime.getAsLong();
        long until = Math.min(machine.nextTime(), lookAt);
        NodeEvent event = inbox.poll(Math.max(0, until - now), TimeUnit.NANOSECONDS);
        now = nanoTime.getAsLong();
        if (event != null) {
          carryOut(handle(event, now));
        }
        carryOut(machine.tick(now));
        if (now - lookAt >= 0) {
          processes.killStopped();
          lookAt = now + LOOK_NANOS;
        }
      }
    } catch (InterruptedException | RuntimeException e) {
      log.error("the node is ended by a defect", e);
      end.complete(NodeEnd.givenUp("the agent has a defect (" + e + "); see its log"));
    }
  }

  private List<NodeAction> handle(NodeEvent event, long now) {
    return switch (event) {
      case NodeEvent.Exited(WorkerId worker, ProcessEnd how) -> {
        activities.ends(worker, now);
        log.info("worker {} ended with {}", worker, how.text());
        yield machine.exited(worker, how, now);
      }
      case NodeEvent.Cleared(WorkerId worker) -> machine.cleared(worker);
      case NodeEvent.Viewed(WorldView view) -> machine.viewed(view, now);
      case NodeEvent.Drained() -> {
        log.info("this node is told to go");
        yield machine.drain(now);
      }
      case NodeEvent.GivenUp() -> {
        log.warn("the master has given this node up");
        yield machine.givenUp(now);
      }
    };
  }

  private void carryOut(List<NodeAction> actions) {
    actions.forEach(this::carryOut);
  }

  private void carryOut(NodeAction action) {
    switch (action) {
      case NodeAction.Start(List<WorkerId> all) ->
          all.forEach(worker -> start(worker, Optional.empty()));
      case NodeAction.StartInWorld(Map<WorkerId, Placement> placements) -> {
        letGoOfPort();
        placements.forEach((worker, placement) -> start(worker, Optional.of(placement)));
      }
      case NodeAction.Terminate(List<WorkerId> all) -> all.forEach(processes::terminate);
      case NodeAction.Kill(List<WorkerId> all) -> all.forEach(processes::kill);
      case NodeAction.Arrive(long after) -> arrive(after);
      case NodeAction.Leave(WorkerId worker, var reason, String message) ->
          worlds.left(worker, reason, message);
      case NodeAction.Drain() -> worlds.drain();
      case NodeAction.LeaveAll(String why) -> worlds.end(why);
      case NodeAction.Exit(NodeEnd how) -> {
        letGoOfPort();
        end.complete(how.withMessage(message(how)));
      }
    }
  }

  private void start(WorkerId worker, Optional<Placement> placement) {
    // Before it runs: what it says of itself comes after that.
    activities.begins(worker, Activity.START, nanoTime.getAsLong());
    try {
      processes.start(launch(worker, placement));
    } catch (IOException e) {
      activities.ends(worker, nanoTime.getAsLong());
      carryOut(machine.notStarted(worker, String.valueOf(e.getMessage()), nanoTime.getAsLong()));
    }
  }

  private Launch launch(WorkerId worker, Optional<Placement> placement) {
    return new Launch(
        worker,
        workers.command(),
        environment.of(worker, names.indexOf(worker), placement),
        workers.folder(),
        workers.cgroups());
  }

  private void arrive(long after) {
    Map<WorkerId, Arrival> arrivals = new LinkedHashMap<>();
    try {
      Arrival arrival = new Arrival(after, false, workers.host() + ":" + port.take());
      names.forEach(worker -> {
        arrivals.put(worker, arrival);
        activities.begins(worker, Activity.WAIT, nanoTime.getAsLong());
      });
      worlds.arrive(arrivals);
    } catch (IOException e) {
      carryOut(
          machine.notStarted(
              names.getFirst(), "no port is free: " + e.getMessage(), nanoTime.getAsLong()));
    }
  }

  private void letGoOfPort() {
    try {
      port.close();
    } catch (IOException e) {
      log.debug("a port could not be let go of: {}", e.toString());
    }
  }

  /// With the end of the log of the worker that failed: what people look for first.
  private String message(NodeEnd how) {
    if (how.worker().isEmpty()) {
      return how.message();
    }
    List<String> lines = LOG_END.of(processes.logFile(how.worker().get()));
    return lines.isEmpty()
        ? how.message() + "; it printed nothing"
        : how.message() + "; its log ends:\n" + String.join("\n", lines);
  }
}

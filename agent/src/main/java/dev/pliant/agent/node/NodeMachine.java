package dev.pliant.agent.node;

import dev.pliant.agent.processes.ProcessEnd;
import dev.pliant.agent.world.Placement;
import dev.pliant.agent.world.WorldAnswer;
import dev.pliant.agent.world.WorldView;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides what is done with a node's processes. Fed with what happens and the time at which it
/// does, it says what is to be done; knows no clock, no thread and no process. Every word makes
/// sense in every phase.
///
/// | phase | a process fails | told to go | the world is to end |
/// |---|---|---|---|
/// | `Training` | the others end, then the node, with its code | the master lets the processes go | – |
/// | `Training`, by restart | `Suspecting` | all processes end, then the node | `Restarting` |
/// | `Awaiting` a world | – | the node ends | – |
/// | `Suspecting` another node | – | the node ends | `Restarting`: that node is to blame |
/// | `Restarting` | no matter | all processes end, then the node | – |
/// | `Draining` | the node ends with its code | hastened | – |
/// | `Ending` | no matter | hastened | – |
///
/// The group of plain scripts breaks in all of them when one fails. Each agent waits for the same
/// short time before it takes a failure for its own: so the first to fail is the one to blame, and
/// the others hear of it in time.
final class NodeMachine {
  /// What the machine goes by.
  ///
  /// @param grace how long processes may take to end by themselves when the node is to go
  /// @param terminate how long they may take when told to, before they are killed
  /// @param blame how long to wait for word that another node is to blame
  record Rules(
      Elasticity elasticity,
      List<WorkerId> workers,
      Duration grace,
      Duration terminate,
      Duration blame) {
    Rules {
      workers = List.copyOf(workers);
    }
  }

  private sealed interface Phase {
    record Training(long version) implements Phase {}

    record Awaiting(long after) implements Phase {}

    record Suspecting(long version, NodeEnd end, long until) implements Phase {}

    record Restarting(long after) implements Phase {}

    record Draining(long until) implements Phase {}

    record Ending(NodeEnd end) implements Phase {}

    record Over() implements Phase {}
  }

  static final long NEVER = Long.MAX_VALUE;

  private static final String TOLD = "its node was told to go";

  private final Rules rules;

  /// Started, and not cleared away yet.
  private final Set<WorkerId> live = new LinkedHashSet<>();

  /// Of those, the ones that were asked to end.
  private final Set<WorkerId> asked = new LinkedHashSet<>();

  private Phase phase = new Phase.Awaiting(0);
  private long killAt = NEVER;

  NodeMachine(Rules rules) {
    this.rules = rules;
  }

  /// The node begins.
  List<NodeAction> begin() {
    if (rules.elasticity() == Elasticity.RESTART) {
      return List.of(new NodeAction.Arrive(0));
    }
    phase = new Phase.Training(0);
    live.addAll(rules.workers());
    return List.of(new NodeAction.Start(rules.workers()));
  }

  // Processes.

  /// A process could not be started.
  List<NodeAction> notStarted(WorkerId worker, String why, long now) {
    NodeEnd end =
        new NodeEnd(
            127,
            ExitReason.FATAL_ERROR,
            "worker %s cannot be started: %s".formatted(worker, why),
            Optional.empty());
    live.remove(worker);
    List<NodeAction> actions = new ArrayList<>(end(end, now));
    actions.addAll(ifEmpty());
    return actions;
  }

  /// A process has exited.
  List<NodeAction> exited(WorkerId worker, ProcessEnd end, long now) {
    boolean failed = end.code() != 0 && !asked.contains(worker);
    return switch (phase) {
      case Phase.Training(long version) -> {
        if (failed && mayBeAnothersFault(end)) {
          phase =
              new Phase.Suspecting(version, failure(worker, end), now + rules.blame().toNanos());
          yield terminate(now);
        }
        List<NodeAction> actions = new ArrayList<>();
        actions.add(leave(worker, end));
        if (failed) {
          actions.addAll(end(failure(worker, end), now));
        }
        yield actions;
      }
      case Phase.Draining _ -> {
        List<NodeAction> actions = new ArrayList<>();
        actions.add(leave(worker, end));
        if (failed) {
          actions.addAll(end(failure(worker, end), now));
        }
        yield actions;
      }
      case Phase.Ending _ -> List.of(leave(worker, end));
      case Phase.Suspecting _, Phase.Restarting _, Phase.Awaiting _, Phase.Over _ -> List.of();
    };
  }

  /// A process that is killed, from outside or for memory, is its own end; one that fails may have
  /// lost a peer.
  private boolean mayBeAnothersFault(ProcessEnd end) {
    return rules.elasticity() == Elasticity.RESTART
        && switch (ExitReason.ofExitCode(end.code())) {
          case FATAL_ERROR, UNKNOWN -> true;
          case SUCCEEDED, KILLED, OOM, HARDWARE_ERROR, NO_HEARTBEAT -> false;
        };
  }

  private static NodeEnd failure(WorkerId worker, ProcessEnd end) {
    return new NodeEnd(
        end.code(),
        ExitReason.ofExitCode(end.code()),
        "worker %s ended with %s".formatted(worker, end.text()),
        Optional.of(worker));
  }

  /// One that was told to go has not finished its training, whatever it ends with.
  private NodeAction leave(WorkerId worker, ProcessEnd end) {
    ExitReason reason = ExitReason.ofExitCode(end.code());
    boolean sentAway = asked.contains(worker) || phase instanceof Phase.Draining;
    return new NodeAction.Leave(
        worker,
        reason == ExitReason.SUCCEEDED && sentAway ? ExitReason.KILLED : reason,
        "the process ended with " + end.text());
  }

  /// A process and all it started are gone.
  List<NodeAction> cleared(WorkerId worker) {
    live.remove(worker);
    asked.remove(worker);
    return ifEmpty();
  }

  private List<NodeAction> ifEmpty() {
    if (!live.isEmpty()) {
      return List.of();
    }
    killAt = NEVER;
    return switch (phase) {
      case Phase.Training _ -> over(NodeEnd.succeeded());
      case Phase.Draining _ -> over(NodeEnd.released(TOLD));
      case Phase.Ending(NodeEnd end) -> over(end);
      case Phase.Restarting(long after) -> {
        phase = new Phase.Awaiting(after);
        yield List.of(new NodeAction.Arrive(after));
      }
      case Phase.Suspecting _, Phase.Awaiting _, Phase.Over _ -> List.of();
    };
  }

  private List<NodeAction> over(NodeEnd end) {
    phase = new Phase.Over();
    return List.of(new NodeAction.Exit(end));
  }

  private List<NodeAction> terminate(long now) {
    List<WorkerId> all = List.copyOf(live);
    asked.addAll(all);
    killAt = now + rules.terminate().toNanos();
    return all.isEmpty() ? List.of() : List.of(new NodeAction.Terminate(all));
  }

  /// Ends all processes, then the node.
  private List<NodeAction> end(NodeEnd end, long now) {
    phase = new Phase.Ending(end);
    List<NodeAction> actions = new ArrayList<>();
    actions.add(new NodeAction.LeaveAll(end.message().isEmpty() ? TOLD : end.message()));
    actions.addAll(terminate(now));
    return actions;
  }

  // The node.

  /// The node is told to go; a second time hastens it.
  List<NodeAction> drain(long now) {
    List<NodeAction> actions = new ArrayList<>();
    switch (phase) {
      case Phase.Training _ -> {
        switch (rules.elasticity()) {
          case IN_PROCESS -> {
            phase = new Phase.Draining(now + rules.grace().toNanos());
            actions.add(new NodeAction.Drain());
          }
          case NONE -> {
            phase = new Phase.Draining(NEVER);
            actions.addAll(terminate(now));
          }
          case RESTART -> actions.addAll(end(NodeEnd.released(TOLD), now));
        }
      }
      case Phase.Suspecting _, Phase.Restarting _, Phase.Awaiting _ -> {
        actions.addAll(end(NodeEnd.released(TOLD), now));
        actions.addAll(ifEmpty());
      }
      case Phase.Draining _, Phase.Ending _ ->
          actions.addAll(asked.containsAll(live) ? kill() : terminate(now));
      case Phase.Over _ -> {}
    }
    return actions;
  }

  private List<NodeAction> kill() {
    killAt = NEVER;
    asked.addAll(live);
    return live.isEmpty() ? List.of() : List.of(new NodeAction.Kill(List.copyOf(live)));
  }

  /// The master has given the node up: whoever works in its place must not meet it.
  List<NodeAction> givenUp(long now) {
    if (phase instanceof Phase.Over) {
      return List.of();
    }
    List<NodeAction> actions = new ArrayList<>();
    if (!(phase instanceof Phase.Ending)) {
      phase = new Phase.Ending(NodeEnd.givenUp("the master has given this node up"));
      actions.add(new NodeAction.LeaveAll("the master has given this node up"));
    }
    actions.addAll(kill());
    actions.addAll(ifEmpty());
    return actions;
  }

  // The world, for processes that cannot ask for it themselves.

  /// What the master says of the world.
  List<NodeAction> viewed(WorldView view, long now) {
    return switch (phase) {
      case Phase.Awaiting(long after) -> awaited(view, after, now);
      case Phase.Training(long version) -> changed(view, version, now);
      case Phase.Suspecting(long version, NodeEnd _, long _) -> changed(view, version, now);
      case Phase.Restarting _, Phase.Draining _, Phase.Ending _, Phase.Over _ -> List.of();
    };
  }

  private List<NodeAction> awaited(WorldView view, long after, long now) {
    Map<WorkerId, Placement> placements = new LinkedHashMap<>();
    Optional<NodeEnd> end = Optional.empty();
    boolean excluded = false;
    for (Map.Entry<WorkerId, WorldAnswer> entry : view.answers().entrySet()) {
      switch (entry.getValue()) {
        case WorldAnswer.Inside(Placement placement) -> {
          if (placement.version() > after) {
            placements.put(entry.getKey(), placement);
          }
        }
        case WorldAnswer.Released(String why) -> end = Optional.of(NodeEnd.released(why));
        case WorldAnswer.Closed(boolean complete, String why) ->
            end = Optional.of(complete ? NodeEnd.succeeded() : NodeEnd.givenUp(why));
        case WorldAnswer.Excluded _ -> excluded = true;
        case WorldAnswer.Wait _ -> {}
      }
    }
    if (end.isPresent()) {
      List<NodeAction> actions = new ArrayList<>(end(end.get(), now));
      actions.addAll(ifEmpty());
      return actions;
    }
    if (excluded) {
      phase = new Phase.Awaiting(0);
      return List.of(new NodeAction.Arrive(0));
    }
    if (placements.isEmpty()) {
      return List.of();
    }
    phase = new Phase.Training(placements.values().iterator().next().version());
    live.addAll(placements.keySet());
    return List.of(new NodeAction.StartInWorld(placements));
  }

  private List<NodeAction> changed(WorldView view, long version, long now) {
    boolean released = false;
    boolean reform = view.reforming().level() > 0;
    long after = version;
    for (WorldAnswer answer : view.answers().values()) {
      switch (answer) {
        case WorldAnswer.Released _ -> released = true;
        case WorldAnswer.Excluded _ -> {
          reform = true;
          after = 0;
        }
        case WorldAnswer.Inside _, WorldAnswer.Wait _, WorldAnswer.Closed _ -> {}
      }
    }
    if (released) {
      List<NodeAction> actions = new ArrayList<>(end(NodeEnd.released(TOLD), now));
      actions.addAll(ifEmpty());
      return actions;
    }
    if (!reform) {
      return List.of();
    }
    phase = new Phase.Restarting(after);
    List<NodeAction> actions =
        new ArrayList<>(asked.containsAll(live) ? List.of() : terminate(now));
    actions.addAll(ifEmpty());
    return actions;
  }

  // Time.

  /// Time has passed.
  List<NodeAction> tick(long now) {
    List<NodeAction> actions = new ArrayList<>();
    if (phase instanceof Phase.Draining(long until) && until != NEVER && now - until >= 0) {
      phase = new Phase.Draining(NEVER);
      actions.addAll(terminate(now));
    }
    if (phase instanceof Phase.Suspecting(long _, NodeEnd end, long until) && now - until >= 0) {
      end.worker()
          .ifPresent(
              worker -> actions.add(new NodeAction.Leave(worker, end.reason(), end.message())));
      actions.addAll(end(end, now));
      actions.addAll(ifEmpty());
    }
    if (killAt != NEVER && now - killAt >= 0) {
      actions.addAll(kill());
    }
    return actions;
  }

  /// When [#tick] has something to do next; [#NEVER] for nothing.
  long nextTime() {
    long time = killAt;
    if (phase instanceof Phase.Draining(long until)) {
      time = Math.min(time, until);
    }
    if (phase instanceof Phase.Suspecting(long _, NodeEnd _, long until)) {
      time = Math.min(time, until);
    }
    return time;
  }

  /// Whether the node is to go.
  boolean going() {
    return phase instanceof Phase.Draining
        || phase instanceof Phase.Ending
        || phase instanceof Phase.Over;
  }
}

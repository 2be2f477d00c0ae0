package dev.pliant.agent.relay;

import dev.pliant.agent.node.Activity;
import dev.pliant.agent.node.ActivityBook;
import dev.pliant.agent.socket.Answer;
import dev.pliant.agent.socket.Conversation;
import dev.pliant.agent.steps.StepDesk;
import dev.pliant.agent.world.WireReason;
import dev.pliant.agent.world.WorldDesk;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.rpc.MasterCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The workers of this node: who is connected, and who has ended and must still be said to have.
///
/// A worker ends with its last connection. What it leased ahead then goes back, its reports are
/// delivered, and the master is told why it ended; a worker that comes back under the same name
/// waits for that.
public final class WorkerRoster implements Conversation.Host {
  /// What a sign of life may name.
  static final int MAX_WORKERS = 1_024;

  private static final Logger log = LoggerFactory.getLogger(WorkerRoster.class);

  /// The end of a worker is said until it is heard, or the agent closes.
  private static final Duration FOR_EVER = Duration.ofDays(3_650);

  private final RelayConfig config;
  private final MasterCalls calls;
  private final MasterOperations operations;
  private final LongSupplier nanoTime;
  private final ProcessExits exits;
  private final WorldDesk worlds;
  private final StepDesk steps;
  private final ActivityBook activities;

  /// The latest life of each worker that has not been said to have ended.
  private final Map<WorkerId, Worker> workers = new LinkedHashMap<>();

  /// Threads that see workers off.
  private final Map<Worker, Thread> seeingOff = new LinkedHashMap<>();

  public WorkerRoster(
      RelayConfig config,
      MasterCalls calls,
      LongSupplier nanoTime,
      ProcessExits exits,
      WorldDesk worlds,
      StepDesk steps,
      ActivityBook activities) {
    this.config = config;
    this.calls = calls;
    this.operations = new MasterOperations(calls, config.masterAway());
    this.nanoTime = nanoTime;
    this.exits = exits;
    this.worlds = worlds;
    this.steps = steps;
    this.activities = activities;
  }

  @Override
  public Conversation begin(Conversation.Peer peer) {
    return new WorkerConversation(peer, this, operations);
  }

  /// Workers whose life the master should know of: connected, members of a world, or with something
  /// still to be delivered.
  public List<WorkerId> live() {
    Set<WorkerId> live = new LinkedHashSet<>(worlds.members());
    synchronized (this) {
      live.addAll(workers.keySet());
    }
    return live.stream().limit(MAX_WORKERS).toList();
  }

  /// The master has given these up: their streams are opened again, which tells what is still
  /// theirs.
  public void givenUp(List<String> names) {
    for (Worker worker : current()) {
      if (names.contains(worker.id().value()) && !worker.relays().isEmpty()) {
        log.warn(
            "the master may have given up worker {}; asking what is still its own", worker.id());
        worker.relays().forEach(relay -> relay.reopen(false));
      }
    }
  }

  /// Ends the connections of a worker whose process is gone, should something have kept them open.
  public void disconnect(WorkerId id) {
    Worker worker;
    synchronized (this) {
      worker = workers.get(id);
    }
    if (worker != null) {
      worker.connections().forEach(Conversation.Peer::disconnect);
    }
  }

  /// Waits until the master knows of the end of every worker; all connections must be closed.
  ///
  /// @return whether that was so in time
  public boolean awaitEnds(Duration within) throws InterruptedException {
    long deadline = nanoTime.getAsLong() + within.toNanos();
    for (Worker worker : current()) {
      try {
        worker.ended().get(Math.max(0, deadline - nanoTime.getAsLong()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException _) {
        return false;
      } catch (ExecutionException e) {
        throw new IllegalStateException("the end of a worker never fails", e);
      }
    }
    return true;
  }

  /// Stops whatever is still being delivered.
  public void abort() {
    current().forEach(worker -> worker.relays().forEach(Relay::abort));
    List<Thread> threads;
    synchronized (this) {
      threads = new ArrayList<>(seeingOff.values());
    }
    threads.forEach(Thread::interrupt);
  }

  private synchronized List<Worker> current() {
    List<Worker> all = new ArrayList<>(workers.values());
    seeingOff.keySet().stream().filter(worker -> !all.contains(worker)).forEach(all::add);
    return all;
  }

  // For conversations.

  String job() {
    return config.job().toString();
  }

  /// Takes a connection in under a worker's name.
  synchronized Worker join(WorkerId id, Conversation.Peer peer) {
    Worker known = workers.get(id);
    if (known != null && known.join(peer)) {
      return known;
    }
    if (known == null && workers.size() + seeingOff.size() >= MAX_WORKERS) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "this agent has %,d workers and takes no more.".formatted(MAX_WORKERS));
    }
    Worker worker =
        new Worker(id, known == null ? CompletableFuture.completedFuture(null) : known.ended());
    worker.join(peer);
    workers.put(id, worker);
    return worker;
  }

  /// The relay of a worker on a dataset, started where there is none yet.
  Relay relay(Worker worker, DatasetName dataset) {
    return worker.relay(
        dataset,
        name -> {
          Relay relay =
              new Relay(
                  worker.id(),
                  name,
                  calls,
                  config.leaseAhead(),
                  new Relay.Patience(config.answerWithin(), config.silence()),
                  nanoTime,
                  worker.after());
          relay.start();
          return relay;
        });
  }

  WorldDesk worlds() {
    return worlds;
  }

  StepDesk steps() {
    return steps;
  }

  void does(WorkerId worker, Activity activity) {
    activities.begins(worker, activity, nanoTime.getAsLong());
  }

  Duration answerWithin() {
    return config.answerWithin();
  }

  /// A connection has ended; with the last one the worker does.
  void leave(Worker worker, long connection, @Nullable Farewell said) {
    if (!worker.leave(connection, said)) {
      return;
    }
    synchronized (this) {
      seeingOff.put(
          worker, Thread.ofVirtual().name("pliant-end-" + worker.id()).start(() -> seeOff(worker)));
    }
  }

  /// Every report that any process has made is on the master's disk, or this throws.
  void settleReports() throws InterruptedException {
    List<CompletableFuture<Answer>> flushes = new ArrayList<>();
    for (Worker worker : current()) {
      worker.relays().forEach(relay -> flushes.add(relay.flush(0, operations.bound())));
    }
    for (CompletableFuture<Answer> flush : flushes) {
      try {
        if (!(flush.get() instanceof Answer.Flushed)) {
          throw new PliantException(
              ErrorCode.STOPPING,
              "the master was away for %s, and reports have not reached it."
                  .formatted(operations.bound()));
        }
      } catch (ExecutionException e) {
        throw e.getCause() instanceof PliantException known
            ? known
            : new IllegalStateException("a flush failed", e);
      }
    }
  }

  /// A checkpoint was restored: no lease and no step from before it counts.
  void restored() {
    steps.forget();
    current().forEach(worker -> worker.relays().forEach(relay -> relay.reopen(true)));
  }

  // The end of a worker.

  private void seeOff(Worker worker) {
    try {
      List<CompletableFuture<Void>> relays = new ArrayList<>();
      worker.relays().forEach(relay -> relays.add(relay.finish()));
      Farewell farewell = worker.farewell().orElseGet(() -> reason(worker.id()));
      leaveWorld(worker, farewell);
      for (CompletableFuture<Void> relay : relays) {
        relay.get();
      }
      tellMaster(worker.id(), farewell);
    } catch (InterruptedException _) {
      log.warn(
          "worker {} has ended, but the master could not be told; it will find out by its silence",
          worker.id());
    } catch (ExecutionException | RuntimeException e) {
      log.error(
          "worker {} has ended, and a defect kept the master from being told", worker.id(), e);
    } finally {
      synchronized (this) {
        seeingOff.remove(worker);
        workers.remove(worker.id(), worker);
      }
      worker.ended().complete(null);
    }
  }

  /// A process that has come back meanwhile, by another connection, is still in its world.
  private void leaveWorld(Worker worker, Farewell farewell) {
    boolean cameBack;
    synchronized (this) {
      cameBack = workers.get(worker.id()) != worker;
    }
    if (!cameBack) {
      worlds.left(worker.id(), farewell.reason(), farewell.message());
      activities.ends(worker.id(), nanoTime.getAsLong());
    }
  }

  private Farewell reason(WorkerId worker) {
    Optional<CompletableFuture<Integer>> exit = exits.exitOf(worker);
    @Nullable Integer code =
        exit.map(coming ->
                coming
                    .copy()
                    .completeOnTimeout(null, config.exitWithin().toNanos(), TimeUnit.NANOSECONDS)
                    .join())
            .orElse(null);
    return code == null ? Farewell.silent() : Farewell.exit(code);
  }

  private void tellMaster(WorkerId worker, Farewell farewell) throws InterruptedException {
    EndWorkerRequest message =
        EndWorkerRequest.newBuilder()
            .setWorker(worker.value())
            .setReason(WireReason.of(farewell.reason()))
            .setMessage(farewell.message())
            .build();
    try {
      long requeued =
          calls
              .call("end of " + worker, FOR_EVER, m -> m.jobs(MasterCalls.TRY).endWorker(message))
              .getRequeued();
      log.info(
          "worker {} ended: {} ({}); {} shards went back",
          worker,
          farewell.reason(),
          farewell.message(),
          requeued);
    } catch (PliantException e) {
      if (e.code() != ErrorCode.UNKNOWN_WORKER) {
        log.warn("worker {} ended, and the master does not take it: {}", worker, e.getMessage());
      }
    }
  }
}

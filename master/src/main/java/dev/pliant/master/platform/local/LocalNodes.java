package dev.pliant.master.platform.local;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The nodes of a job on this machine: compares what is desired with what there is, starts, ends
/// and watches. One thread does it all; it looks at once when a child of its own ends or something
/// else is desired, every [#LOOK] while there is something that nobody tells of, else seldom.
final class LocalNodes implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LocalNodes.class);

  /// How long a node that is not a child of this process may be dead before it is noticed.
  static final Duration LOOK = Duration.ofMillis(50);

  /// How often it looks where all is as desired and every node a child of its own.
  private static final Duration REST = Duration.ofSeconds(1);

  private static final Duration RESCAN = Duration.ofSeconds(1);
  private static final Duration LIST_BOUND = Duration.ofSeconds(30);
  private static final Duration SWEEP_AGAIN = Duration.ofMillis(300);

  private final PlatformConfig config;
  private final NodeFiles files;
  private final ControlGroups groups;
  private final Farewells farewells;
  private final AgentLauncher launcher;
  private final ScheduledExecutorService thread;

  // That thread's own.
  private final Map<NodeId, TrackedNode> tracked = new LinkedHashMap<>();
  private final Map<NodeId, Attempt> attempts = new HashMap<>();
  private @Nullable DesiredNodes desired;
  private @Nullable Consumer<NodeNews> news;
  private long scannedNanos = System.nanoTime() - RESCAN.toNanos();
  private Future<?> nextLook = CompletableFuture.completedFuture(null);

  LocalNodes(PlatformConfig config) throws IOException {
    this.config = config;
    this.files = new NodeFiles(config.folder());
    this.groups = ControlGroups.find(groupPrefix(config.folder()));
    this.farewells = new Farewells(files, groups, config.plan());
    this.launcher = new AgentLauncher(config, files, groups);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("local-nodes").daemon().factory());
    execute(() -> lookAgain(LOOK));
  }

  private void lookAgain(Duration after) {
    try {
      nextLook = thread.schedule(this::look, after.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("nobody looks any more: the platform is closed");
    }
  }

  /// Jobs of one machine have folders of their own, hence groups of their own.
  static String groupPrefix(Path jobFolder) {
    return "pliant-%08x-".formatted(jobFolder.toString().hashCode());
  }

  void scale(DesiredNodes wanted) {
    execute(() -> {
      desired = wanted;
      look();
    });
  }

  void watch(Consumer<NodeNews> listener) {
    execute(() -> news = listener);
  }

  List<NodeNews> list() throws IOException {
    Callable<List<NodeNews>> listing = this::listed;
    try {
      return thread.submit(listing).get(LIST_BOUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "the nodes of job %s cannot be listed".formatted(config.plan().job()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while listing nodes", e);
    }
  }

  private void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      log.debug("nothing more is done about nodes: the platform is closed");
    }
  }

  /// Nothing may end the looking, or nodes would die unseen.
  private void look() {
    try {
      scan();
      for (TrackedNode node : List.copyOf(tracked.values())) {
        observe(node);
      }
      carryOut();
    } catch (IOException | RuntimeException e) {
      log.error("looking after the nodes of job {} met trouble", config.plan().job(), e);
    }
    boolean unused = nextLook.cancel(false);
    lookAgain(isAtRest() ? REST : LOOK);
  }

  private boolean isAtRest() {
    return attempts.isEmpty() && tracked.values().stream().noneMatch(TrackedNode::isToBeLookedAt);
  }

  // What there is.

  private List<NodeNews> listed() throws IOException {
    scannedNanos = System.nanoTime() - RESCAN.toNanos();
    scan();
    List<NodeNews> listed = new ArrayList<>();
    for (TrackedNode node : tracked.values()) {
      if (!node.alive()) {
        listed.add(farewell(node));
        bury(node);
      } else if (files.ran(node.id)) {
        node.running = true;
        listed.add(new NodeNews.Running(node.id));
      } else {
        listed.add(new NodeNews.Pending(node.id, ""));
      }
    }
    boolean unused = nextLook.cancel(false);
    lookAgain(LOOK); // Nobody tells of those that were adopted.
    return listed;
  }

  /// Finds nodes that were claimed, by children of this process and by others.
  private void scan() throws IOException {
    for (Map.Entry<NodeId, Attempt> attempt : List.copyOf(attempts.entrySet())) {
      follow(attempt.getKey(), attempt.getValue());
    }
    if (System.nanoTime() - scannedNanos < RESCAN.toNanos()) {
      return;
    }
    scannedNanos = System.nanoTime();
    for (NodeId node : files.claimed()) {
      if (!tracked.containsKey(node)) {
        track(node, null);
      }
    }
  }

  private boolean track(NodeId node, @Nullable Process child) throws IOException {
    Optional<Claim> claim = Claim.read(files.claim(node));
    if (claim.isEmpty()) {
      return false;
    }
    boolean own = child != null && child.pid() == claim.get().pid();
    TrackedNode found = new TrackedNode(node, claim.get(), own ? child : null);
    tracked.put(node, found);
    attempts.remove(node);
    return true;
  }

  /// Sees whether a process that was to claim a node has done so.
  private void follow(NodeId node, Attempt attempt) throws IOException {
    Process process = attempt.process;
    if (process == null || track(node, process) || process.isAlive()) {
      return;
    }
    int code = process.exitValue();
    attempt.process = null;
    if (code == Claim.TAKEN) {
      boolean unused = track(node, null); // Somebody else was first.
      return;
    }
    retryLater(
        node,
        attempt,
        "its agent could not be started (exit code %d): %s"
            .formatted(code, String.join(" | ", LogEnd.of(files.agentLog(node)))));
  }

  private void observe(TrackedNode node) {
    if (node.ended) {
      sweep(node);
    } else if (!node.alive()) {
      tell(farewell(node));
      bury(node);
    } else if (!node.running && files.ran(node.id)) {
      node.running = true;
      tell(new NodeNews.Running(node.id));
    }
  }

  private void tell(NodeNews what) {
    Consumer<NodeNews> listener = news;
    if (listener != null) {
      listener.accept(what);
    }
  }

  private NodeNews.Ended farewell(TrackedNode node) {
    NodeNews.Ended known = node.farewell;
    if (known == null) {
      known = farewells.of(node);
      node.farewell = known;
    }
    return known;
  }

  /// Ends what a dead agent has left behind.
  private void bury(TrackedNode node) {
    node.ended = true;
    sweep(node);
  }

  /// Again a little later, for somebody may have forked. Looking through all processes of a machine
  /// takes its time, and another node may have to be started meanwhile: so it is done beside.
  private void sweep(TrackedNode node) {
    if (!node.isToBeSwept()
        || (node.sweeps > 0 && System.nanoTime() - node.sweptNanos < SWEEP_AGAIN.toNanos())) {
      return;
    }
    node.sweeps++;
    node.sweptNanos = System.nanoTime();
    Thread.ofVirtual()
        .name("sweep-" + node.id)
        .start(() -> {
          int killed = kill(node);
          if (killed > 0) {
            log.info("node {} has ended and left {} processes; they are killed", node.id, killed);
          }
          boolean unused = groups.remove(node.id);
        });
  }

  private int kill(TrackedNode node) {
    return NodeProcesses.kill(
        node.claim, NodeProcesses.mark(config.folder(), node.id), groups.processes(node.id));
  }

  // What is to be.

  private void carryOut() throws IOException {
    DesiredNodes wanted = desired;
    if (wanted == null || !wanted.defined()) {
      return;
    }
    if (!config.current().getAsBoolean()) {
      log.warn("a newer master has taken over; this one leaves all nodes to it");
      desired = null;
      return;
    }
    Map<NodeId, DesiredNode> byId = new LinkedHashMap<>();
    wanted.nodes().forEach(node -> byId.put(node.id(), node));
    for (TrackedNode node : tracked.values()) {
      if (!node.ended) {
        end(node, byId.get(node.id));
      }
    }
    for (DesiredNode node : wanted.nodes()) {
      if (!tracked.containsKey(node.id())) {
        if (node.leaving()) {
          prevent(node.id());
        } else {
          start(node);
        }
      }
    }
    attempts.keySet().removeIf(id -> !byId.containsKey(id));
  }

  private void end(TrackedNode node, @Nullable DesiredNode wanted) {
    if (wanted == null) {
      killOnce(node, "it is not wanted any more");
    } else if (wanted.leaving() && !node.told) {
      log.info("node {} is told to go", node.id);
      node.told = true;
      node.toldNanos = System.nanoTime();
      if (node.claim.alive()) {
        ProcessHandle.of(node.claim.pid()).ifPresent(ProcessHandle::destroy);
      }
    } else if (wanted.leaving()
        && System.nanoTime() - node.toldNanos > config.killAfter().toNanos()) {
      killOnce(node, "it did not go when it was told to");
    }
  }

  /// Again with every look until it is gone, but said once.
  private void killOnce(TrackedNode node, String why) {
    if (!node.killed) {
      node.killed = true;
      log.warn("node {} is killed: {}", node.id, why);
    }
    int unused = kill(node);
  }

  /// A node that was never started and is to go: sees that nobody starts it after all.
  private void prevent(NodeId node) throws IOException {
    if (Claim.prevent(files.claim(node)) || Files.exists(files.claim(node))) {
      boolean unused = track(node, null);
    }
  }

  private void start(DesiredNode node) throws IOException {
    Attempt attempt = attempts.computeIfAbsent(node.id(), _ -> new Attempt());
    if (attempt.process != null
        || attempt.waits(System.nanoTime())
        || Files.exists(files.claim(node.id()))) {
      return;
    }
    Map<String, String> variables = launcher.variables();
    if (node.resources().gpus() > 0 && !giveGpus(node, variables)) {
      retryLater(
          node.id(),
          attempt,
          "it asks for %d GPUs, and of %d not enough are free"
              .formatted(node.resources().gpus(), Gpus.devices().size()));
      return;
    }
    try {
      attempt.process = launcher.launch(node, variables);
      tell(new NodeNews.Pending(node.id(), ""));
      attempt.process.onExit().thenRun(() -> execute(this::look));
    } catch (IOException e) {
      retryLater(node.id(), attempt, "its agent could not be started: " + e.getMessage());
    }
  }

  private void retryLater(NodeId node, Attempt attempt, String why) {
    if (attempt.failed(why, System.nanoTime())) {
      log.warn("node {}: {}", node, why);
      tell(new NodeNews.Pending(node, why));
    }
  }

  private boolean giveGpus(DesiredNode node, Map<String, String> variables) throws IOException {
    List<String> taken = new ArrayList<>();
    for (TrackedNode other : tracked.values()) {
      if (!other.ended) {
        files.variable(other.id, Gpus.VARIABLE).ifPresent(taken::add);
      }
    }
    for (Map.Entry<NodeId, Attempt> other : attempts.entrySet()) {
      if (other.getValue().process != null) {
        files.variable(other.getKey(), Gpus.VARIABLE).ifPresent(taken::add);
      }
    }
    Optional<String> given = Gpus.assign(node.resources().gpus(), Gpus.devices(), taken);
    given.ifPresent(devices -> variables.put(Gpus.VARIABLE, devices));
    return given.isPresent();
  }

  /// Looks no more; nodes stay as they are.
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        log.warn("the local platform has not come to rest after 5 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Scales by making and removing pods itself; the operator makes none for such a job. The plan is
/// written too, for people, and its status remembers which pods were made: a name is noted there
/// before its pod is made, so that whatever happens in between, no node is ever started twice.
final class PodScaler implements ScaleLoop.Pass {
  private static final Logger log = LoggerFactory.getLogger(PodScaler.class);

  private static final String UNDER_WAY = "Scaling";
  private static final String DONE = "Succeeded";

  /// How many pods are made or removed at the same time.
  private static final int AT_ONCE = 16;

  /// Makes the pod of a node.
  interface PodMaker {
    /// @throws PliantException where the job's template is none
    Pod pod(PodPlan node, ScalePlanSpec plan);
  }

  private final JobApi api;
  private final PlanWriter plan;
  private final NodeBook book;
  private final PodMaker maker;

  /// Nodes that this master has noted as made and whose pod it has yet to make: the queue.
  private final Set<NodeId> queue = new ConcurrentSkipListSet<>();

  private @Nullable Said said;

  PodScaler(JobApi api, PlanWriter plan, NodeBook book, PodMaker maker) {
    this.api = api;
    this.plan = plan;
    this.book = book;
    this.maker = maker;
  }

  @Override
  public boolean carryOut(DesiredNodes desired, Followed followed) throws ScaleLoop.Fenced {
    ScalePlanSpec spec = plan.write(desired, followed);
    Set<NodeId> made = new TreeSet<>(api.plan(ScalerKind.PodScaler).created());
    Set<NodeId> noted = Set.copyOf(made);
    Map<NodeId, PodActions.Life> pods = pods();
    queue.removeIf(node -> pods.containsKey(node) || book.hasEnded(node));
    made.removeAll(queue);
    PodActions actions = PodActions.decide(desired.nodes(), pods, made, plan.gone());
    List<Callable<Boolean>> removals = new ArrayList<>();
    actions.kill().forEach(node -> removals.add(() -> remove(node, true)));
    actions.remove().forEach(node -> removals.add(() -> remove(node, false)));
    boolean removed = sideBySide(removals);
    actions.prevent().forEach(this::prevent);
    Set<NodeId> all = note(desired, actions.create(), noted);
    boolean created = create(actions.create(), spec);
    if (created) {
      say(new Said(DONE, "%d nodes have had their pods".formatted(all.size()), all));
    }
    return created && removed;
  }

  /// One that cannot be removed keeps nobody else waiting.
  private boolean remove(NodeId node, boolean atOnce) {
    try {
      api.delete(node, atOnce);
      return true;
    } catch (KubernetesClientException e) {
      log.warn("the pod of node {} cannot be removed: {}", node, JobApi.describe(e));
      return false;
    }
  }

  private Map<NodeId, PodActions.Life> pods() {
    Map<NodeId, PodActions.Life> lives = new LinkedHashMap<>();
    for (Pod pod : api.pods()) {
      api.names()
          .node(pod.getMetadata().getName())
          .ifPresent(node -> lives.put(node, life(node, pod)));
    }
    return lives;
  }

  private static PodActions.Life life(NodeId node, Pod pod) {
    if (PodNews.of(node, pod) instanceof NodeNews.Ended) {
      return PodActions.Life.ENDED;
    }
    return pod.getMetadata().getDeletionTimestamp() == null
        ? PodActions.Life.ALIVE
        : PodActions.Life.LEAVING;
  }

  private void prevent(NodeId node) {
    queue.remove(node);
    book.heard(
        new NodeNews.Ended(
            node, 143, false, ExitReason.KILLED, "it was told to go before it started"));
  }

  /// Notes what is about to be made, and forgets what the plan no longer names.
  ///
  /// @return what is noted then
  private Set<NodeId> note(DesiredNodes desired, List<DesiredNode> create, Set<NodeId> noted) {
    Set<NodeId> all = new TreeSet<>(noted);
    all.removeIf(node -> !desired.contains(node));
    create.forEach(node -> all.add(node.id()));
    if (!create.isEmpty() || !all.equals(noted)) {
      say(new Said(UNDER_WAY, "%d pods are to be made".formatted(create.size()), all));
    }
    create.forEach(node -> queue.add(node.id()));
    return all;
  }

  /// What is said of the plan, in its status.
  ///
  /// @param made nodes whose pods were made, or are about to be
  private record Said(String phase, String reason, Set<NodeId> made) {}

  private void say(Said now) {
    if (now.equals(said)) {
      return;
    }
    api.answer(
        ScalePlan.class,
        new ScalePlan(),
        api.names().plan(),
        new ScalePlanStatus(
            now.phase(),
            now.reason(),
            null,
            null,
            now.phase().equals(DONE)
                ? Instant.now().truncatedTo(ChronoUnit.SECONDS).toString()
                : null,
            now.made().stream().map(api.names()::pod).toList()));
    said = now;
  }

  /// @return whether all of them are made
  private boolean create(List<DesiredNode> create, ScalePlanSpec spec) {
    List<PodPlan> plans = spec.createPods() == null ? List.of() : spec.createPods();
    Map<String, PodPlan> byName = new LinkedHashMap<>();
    plans.forEach(pod -> byName.put(pod.name(), pod));
    List<Callable<Boolean>> makings = new ArrayList<>();
    for (DesiredNode node : create) {
      PodPlan pod = byName.get(api.names().pod(node.id()));
      if (pod != null) {
        makings.add(() -> make(node.id(), pod, spec));
      }
    }
    return sideBySide(makings);
  }

  /// @return whether all of them have come to what they are for
  private static boolean sideBySide(List<Callable<Boolean>> calls) {
    boolean all = true;
    try (ExecutorService callers =
        Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
      for (Future<Boolean> one : callers.invokeAll(calls)) {
        all &= one.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a pod could not be made or removed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return all;
  }

  private boolean make(NodeId node, PodPlan pod, ScalePlanSpec spec) {
    try {
      Optional<ForeignPod> inTheWay = api.create(maker.pod(pod, spec));
      if (inTheWay.isPresent()) {
        return fails(node, inTheWay.get().trouble());
      }
      log.info("the pod of node {} is made", node);
      queue.remove(node);
      book.exists(node);
      book.heard(new NodeNews.Pending(node, ""));
      return true;
    } catch (KubernetesClientException e) {
      return fails(node, JobApi.describe(e));
    } catch (PliantException e) {
      return fails(node, String.valueOf(e.getMessage()));
    }
  }

  private boolean fails(NodeId node, String why) {
    log.warn("the pod of node {} cannot be made: {}", node, why);
    book.heard(PodNews.refused(node, why));
    return false;
  }
}

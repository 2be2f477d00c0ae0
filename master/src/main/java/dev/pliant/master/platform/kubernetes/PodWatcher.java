package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ScalerKind;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.platform.NodeWatcher;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the pods of a job's nodes. A watch that breaks begins again with a list, and a pod that
/// is missing there is told to have ended once an answer of its own confirms it ([PodSearch]). A
/// pod that came and went while nobody watched is known from the plan's status, which names every
/// pod that was made.
final class PodWatcher implements NodeWatcher {
  private static final Logger log = LoggerFactory.getLogger(PodWatcher.class);

  /// How often it is asked whether anything is to be looked for, which costs no call.
  private static final Duration LOOK = Duration.ofSeconds(1);

  /// How long a node that is to go and has no pod waits for a word that none will be made.
  private static final Duration WORD_BOUND = Duration.ofSeconds(30);

  private final JobApi api;
  private final ScalerKind kind;
  private final NodeBook book;
  private final PodSearch search = new PodSearch();
  private final ScheduledExecutorService looker =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("pods").daemon().factory());
  private final Map<NodeId, Long> leavingSince = new HashMap<>();
  private @Nullable SharedIndexInformer<Pod> informer;

  PodWatcher(JobApi api, ScalerKind kind, NodeBook book) {
    this.api = api;
    this.kind = kind;
    this.book = book;
  }

  @Override
  public List<NodeNews> list() throws IOException {
    try {
      List<NodeId> before = book.alive();
      Set<NodeId> made = api.plan(kind).created();
      Set<NodeId> there = new HashSet<>();
      for (Pod pod : api.pods()) {
        api.names()
            .node(pod.getMetadata().getName())
            .ifPresent(node -> {
              there.add(node);
              book.exists(node);
              boolean unused = book.note(PodNews.of(node, pod));
            });
      }
      Set<NodeId> known = new HashSet<>(made);
      known.addAll(before);
      known.removeAll(there);
      known.forEach(node -> {
        boolean unused = book.note(PodNews.vanished(node));
      });
      return book.all();
    } catch (KubernetesClientException e) {
      throw new IOException(
          "the pods of job %s cannot be listed: %s"
              .formatted(api.names().job(), JobApi.describe(e)),
          e);
    }
  }

  @Override
  public synchronized void watch(Consumer<NodeNews> news) {
    book.watch(news);
    if (informer == null) {
      informer = api.watchPods(new Handler());
      var unused =
          looker.scheduleWithFixedDelay(
              this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private final class Handler implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      seen(pod);
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      seen(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean finalStateUnknown) {
      node(pod)
          .ifPresent(node ->
              PodNews.deleted(node, pod, !finalStateUnknown)
                  .ifPresentOrElse(PodWatcher.this::settled, () -> search.doubt(node)));
    }

    private void seen(Pod pod) {
      node(pod)
          .ifPresent(node -> {
            book.exists(node);
            search.settle(node);
            book.heard(PodNews.of(node, pod));
          });
    }

    private Optional<NodeId> node(Pod pod) {
      return api.isOurs(pod) ? api.names().node(pod.getMetadata().getName()) : Optional.empty();
    }
  }

  private void settled(NodeNews.Ended end) {
    search.settle(end.node());
    book.heard(end);
  }

  /// Looks for nodes whose pod the watch does not know: it may have come and gone unseen, or never
  /// come at all, or a list lacked it.
  private void look() {
    try {
      Set<String> watched = watched();
      List<DesiredNode> missing =
          book.open().stream()
              .filter(node -> !watched.contains(api.names().pod(node.id())))
              .toList();
      leavingSince.keySet().removeIf(id -> missing.stream().noneMatch(n -> n.id().equals(id)));
      if (search.isDue(missing, System.nanoTime())) {
        look(missing, search.doubted());
      }
    } catch (KubernetesClientException e) {
      log.debug("pods cannot be looked for: {}", JobApi.describe(e));
    } catch (RuntimeException e) {
      log.error("looking for pods met trouble", e);
    }
  }

  private synchronized Set<String> watched() {
    return informer == null
        ? Set.of()
        : informer.getStore().list().stream()
            .filter(api::isOurs)
            .map(pod -> pod.getMetadata().getName())
            .collect(Collectors.toSet());
  }

  /// First the plan, then the pods: one that the plan says was made, and that is not there, is
  /// gone. Both are asked for as they are now, not as some server remembers them.
  private void look(List<DesiredNode> missing, Set<NodeId> doubted) {
    Set<NodeId> existed =
        missing.stream().map(DesiredNode::id).filter(book::existed).collect(Collectors.toSet());
    PlanState plan = missing.isEmpty() ? PlanState.NONE : api.plan(kind);
    Map<NodeId, Pod> there = new HashMap<>();
    for (Pod pod : api.pods()) {
      api.names().node(pod.getMetadata().getName()).ifPresent(node -> there.put(node, pod));
    }
    doubted.forEach(node -> confirm(node, there.get(node)));
    for (DesiredNode node : missing) {
      if (there.containsKey(node.id())) {
        continue; // The watch will tell.
      }
      // A master that makes pods itself notes them before it makes them.
      boolean made = kind != ScalerKind.PodScaler && plan.created().contains(node.id());
      String refusal = plan.refused().get(node.id());
      if (made || existed.contains(node.id())) {
        book.heard(PodNews.vanished(node.id()));
      } else if (refusal != null && !node.leaving()) {
        book.heard(PodNews.refused(node.id(), refusal));
      } else if (node.leaving() && isSettled(node.id(), plan)) {
        book.heard(
            new NodeNews.Ended(
                node.id(), 143, false, ExitReason.KILLED, "it was told to go before it started"));
      }
    }
  }

  /// @param pod as it is now, or null where it is gone
  private void confirm(NodeId node, @Nullable Pod pod) {
    if (pod == null) {
      settled(PodNews.vanished(node));
    } else if (PodNews.of(node, pod) instanceof NodeNews.Ended ended) {
      settled(ended); // Of one that lives the watch will tell.
    }
  }

  /// Whether nobody will make its pod any more.
  private boolean isSettled(NodeId node, PlanState plan) {
    long since = leavingSince.computeIfAbsent(node, _ -> System.nanoTime());
    return (plan.seen() && plan.removed().contains(node))
        || System.nanoTime() - since > WORD_BOUND.toNanos();
  }

  @Override
  public synchronized void close() {
    looker.shutdownNow();
    if (informer != null) {
      informer.close();
    }
    api.close();
  }
}

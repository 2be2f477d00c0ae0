package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.MasterPods;
import dev.pliant.machine.nodes.LostJournal;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.master.journal.JobRecovery;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.rpc.Backoff;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a master in a cluster begins with: its job's plan, and what the masters before it left.
///
/// A master whose journal is empty although there is a plan has lost the journal of the one before.
/// It has the pods of that one removed and begins the job anew, with numbers for its nodes that
/// none had: so no pod is taken for another's. So it does where the plan is gone, too, and the
/// job's status says that there was one. How many nodes of which size it had last, the plan knows.
///
/// @param over whether the job is over, and nothing is left to do
/// @param epochAbove no master before had a higher epoch; this one's is higher
/// @param lost what is known of the time before, where the journal of it is lost
public record JobStart(JobPlan plan, boolean over, long epochAbove, LostJournal lost) {
  private static final Logger log = LoggerFactory.getLogger(JobStart.class);

  /// How long the API server is waited for.
  private static final Duration API_BOUND = Duration.ofMinutes(5);

  /// How long pods of a lost journal may take to go.
  private static final Duration PODS_BOUND = Duration.ofMinutes(2);

  private static final Duration LOOK = Duration.ofMillis(500);

  /// Reads the job and sees to what an earlier master left.
  ///
  /// @param journal the folder of the journal
  /// @param settings as the platform has them
  /// @throws PliantException where there is no such job, or nothing can come of it
  public static JobStart prepare(JobId job, Path journal, Map<String, String> settings)
      throws IOException {
    try (JobApi api = new JobApi(JobApi.connect(), new JobNames(job))) {
      return prepare(api, journal, settings);
    }
  }

  static JobStart prepare(JobApi api, Path journal, Map<String, String> settings)
      throws IOException {
    ElasticJobResource job = await(api);
    JobPlan plan = JobPlans.of(job);
    ScalerKind kind = KubernetesPlatform.scaler(settings, job);
    PlanState before = retried("the plan cannot be read", () -> newest(api));
    long heard = Math.max(before.epoch(), heardEpoch(job));
    long above = Math.max(heard, mastersBefore(api.names(), settings));
    if (heard == 0 || !isEmpty(api.names().job(), journal)) {
      return new JobStart(plan, false, above, LostJournal.NONE);
    }
    if (before.isOver()) {
      return new JobStart(plan, true, above, LostJournal.NONE);
    }
    log.warn(
        "there was a plan of epoch {} and is no journal: the job begins anew once the pods of its nodes are gone",
        heard);
    long epoch = above + 1;
    SortedMap<String, Integer> reserved = new TreeMap<>(Map.of(NodeId.WORKER, 0));
    Stream.concat(before.named().stream(), before.created().stream())
        .forEach(node -> reserve(reserved, node));
    retried(
        "the empty plan cannot be written",
        () -> {
          api.apply(kind, MasterPlan.empty(api.names(), epoch, before), JobNames.owner(job));
          return true;
        });
    clear(api, kind, reserved);
    return new JobStart(plan, false, epoch, new LostJournal(reserved, kept(api, job, before)));
  }

  /// What the plan before wished, unless the job says something else of that since.
  private static @Nullable Wish kept(JobApi api, ElasticJobResource job, PlanState before) {
    boolean holds = Followed.of(job).sizes().equals(before.followed().sizes());
    return holds && !before.roles().isEmpty()
        ? new WishReader(api.names()).kept(before.roles(), before.epoch())
        : null;
  }

  /// The newest epoch that the operator has heard. It carries out no plan of a lower one, even
  /// where somebody has deleted the plan that it stood in.
  static long heardEpoch(ElasticJobResource job) {
    JobStatus status = job.getStatus();
    return status == null || status.masterEpoch() == null ? 0 : status.masterEpoch();
  }

  /// How many pods the job's masters had before this one; each took an epoch, or may yet. So two
  /// masters that both find nothing have different ones.
  static int mastersBefore(JobNames names, Map<String, String> settings) {
    return names.masterNumber(settings.getOrDefault(MasterPods.POD_NAME_VARIABLE, "")).orElse(0);
  }

  /// The plan in the shape that was written last.
  private static PlanState newest(JobApi api) {
    PlanState scalePlan = api.plan(ScalerKind.ElasticJobScaler);
    PlanState jobResource = api.plan(ScalerKind.JobResource);
    return jobResource.epoch() > scalePlan.epoch() ? jobResource : scalePlan;
  }

  /// Waits until no pod of a node lives, for a while; who makes the pods removes them.
  private static void clear(JobApi api, ScalerKind kind, SortedMap<String, Integer> reserved)
      throws IOException {
    long end = System.nanoTime() + PODS_BOUND.toNanos();
    while (true) {
      List<NodeId> living =
          retried("pods cannot be listed", api::pods).stream()
              .flatMap(pod -> living(api, pod, reserved).stream())
              .toList();
      if (living.isEmpty()) {
        return;
      }
      if (System.nanoTime() - end > 0) {
        log.warn("these nodes have not gone, and are left behind: {}", living);
        return;
      }
      if (kind == ScalerKind.PodScaler) {
        living.forEach(node ->
            retriedUnchecked(
                "pods cannot be removed",
                () -> {
                  api.delete(node, true);
                  return true;
                }));
      }
      pause(LOOK);
    }
  }

  private static Optional<NodeId> living(JobApi api, Pod pod, SortedMap<String, Integer> reserved) {
    Optional<NodeId> node = api.names().node(pod.getMetadata().getName());
    node.ifPresent(id -> reserve(reserved, id));
    return node.filter(id -> !(PodNews.of(id, pod) instanceof NodeNews.Ended));
  }

  private static void reserve(SortedMap<String, Integer> reserved, NodeId node) {
    reserved.merge(node.role(), node.number() + 1, Math::max);
  }

  /// A master that died before it had noted what it found left a journal of no use.
  static boolean isEmpty(JobId job, Path journal) throws IOException {
    return !Files.isDirectory(journal)
        || !JobRecovery.isDefined(JournalStores.open(JournalLocation.folder(journal), job));
  }

  /// The job, once the API server answers.
  static ElasticJobResource await(JobApi api) throws IOException {
    return retried("the job cannot be read", api::job)
        .orElseThrow(() ->
            new PliantException(
                ErrorCode.BAD_JOB_PLAN,
                "there is no ElasticJob %s in this cluster; a master is started for one that there is."
                    .formatted(api.names().job())));
  }

  private static <T> T retried(String what, Supplier<T> call) throws IOException {
    long end = System.nanoTime() + API_BOUND.toNanos();
    for (int failures = 1; ; failures++) {
      try {
        return call.get();
      } catch (KubernetesClientException e) {
        if (System.nanoTime() - end > 0) {
          throw new IOException("%s: %s".formatted(what, JobApi.describe(e)), e);
        }
        if (failures == 1) {
          log.warn("{} yet: {}", what, JobApi.describe(e));
        }
        pause(Backoff.API.after(failures));
      }
    }
  }

  private static <T> void retriedUnchecked(String what, Supplier<T> call) {
    try {
      retried(what, call);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void pause(Duration wait) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(wait.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the cluster", e);
    }
  }
}

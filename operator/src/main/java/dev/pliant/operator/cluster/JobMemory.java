package dev.pliant.operator.cluster;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.operator.decision.ClaimCleanup;
import dev.pliant.operator.decision.Obstacle;
import dev.pliant.operator.decision.Refusal;
import dev.pliant.operator.decision.Trial;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What an operator remembers of a job between two looks at it. A new operator does without: it
/// reads the job again, tries again what was refused, and deletes again what is still there.
///
/// One job is looked at by one thread at a time, but its pods are made by many.
final class JobMemory {
  /// How long a cache may take to show that a pod is being deleted.
  private static final Duration LATENCY = Duration.ofSeconds(10);

  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final int LONGEST_WAIT = 6;

  private final Map<String, Refused> refusals = new HashMap<>();
  private final Map<String, Deleted> deletions = new HashMap<>();
  private @Nullable JobReader reading;
  private @Nullable Trial trial;
  private @Nullable Written written;
  private Instant statusWritten = Instant.EPOCH;
  private @Nullable JobStatus wanted;
  private Instant wantedSince = Instant.EPOCH;
  private @Nullable Finalizer finalizer;
  private @Nullable Instant cleanerTried;
  private boolean namespaceEnds;
  private long refusedEver;
  private int unfinished;

  private record Refused(Refusal refusal, int times) {}

  /// What was said of the job of that uid, in that version of it.
  private record Written(String uid, long version, JobStatus status) {}

  /// Whether the operator has put its finalizer on the job of that uid, or has removed it.
  private record Finalizer(String uid, boolean there) {}

  private record Deleted(long grace, Instant at) {}

  synchronized JobReader read(ElasticJobResource resource, ObjectFactory factory) {
    JobReader known = reading;
    if (known == null || !known.isOf(resource)) {
      if (known != null && !known.uid().equals(resource.getMetadata().getUid())) {
        refusals.clear();
        deletions.clear();
        cleanerTried = null;
        namespaceEnds = false;
      }
      if (known == null || known.generation() != resource.getMetadata().getGeneration()) {
        refusals.clear(); // Perhaps it is taken now.
      }
      JobReader now = JobReader.read(resource, factory);
      if (known == null || !known.uid().equals(now.uid()) || !now.hasPodsOf(known)) {
        trial = null;
      }
      known = now;
      reading = known;
    }
    return known;
  }

  synchronized void tried(Trial result) {
    trial = result;
  }

  /// What the cluster said of the job's templates, as they are now; null where it was not asked.
  synchronized @Nullable Trial trial() {
    return trial;
  }

  synchronized void finalizer(String uid, boolean there) {
    finalizer = new Finalizer(uid, there);
  }

  synchronized void cleanerTried(Instant now) {
    cleanerTried = cleanerTried == null ? now : cleanerTried;
  }

  /// No pod can be made any more: the job's namespace is being deleted.
  synchronized void namespaceEnds() {
    refusedEver++;
    namespaceEnds = true;
  }

  /// What the job has on claims. A cache may not show yet that its finalizer was added or removed.
  synchronized ClaimCleanup cleanup(ElasticJobResource resource) {
    ObjectMeta metadata = resource.getMetadata();
    Finalizer ours = finalizer;
    return new ClaimCleanup(
        ours != null && ours.uid.equals(metadata.getUid())
            ? ours.there
            : metadata.getFinalizers().contains(JobNames.FINALIZER),
        ClaimFolder.journal(resource).isPresent() || ClaimFolder.checkpoints(resource).isPresent(),
        ClaimFolder.deletedWith(resource),
        metadata.getDeletionTimestamp() == null
            ? null
            : Instant.parse(metadata.getDeletionTimestamp()),
        cleanerTried,
        namespaceEnds);
  }

  /// A pod or object that the cluster would not take: it is tried again after 1 s, and ever later
  /// up to 64 s.
  ///
  /// @return whether that was not known before
  boolean refused(String pod, String message, Instant now) {
    return refused(pod, message, null, now);
  }

  /// One whose name another object has.
  void refused(String pod, Obstacle obstacle, Instant now) {
    boolean unused = refused(pod, "the name is taken", obstacle, now);
  }

  private synchronized boolean refused(
      String pod, String message, @Nullable Obstacle obstacle, Instant now) {
    refusedEver++;
    Refused before = refusals.get(pod);
    int known = obstacle == null ? timesOf(pod) : before == null ? 0 : before.times;
    int times = before == null ? known : Math.min(LONGEST_WAIT, known + 1);
    Instant again = now.plus(FIRST_WAIT.multipliedBy(1L << times));
    refusals.put(pod, new Refused(new Refusal(pod, message, again, obstacle), times));
    return before == null || !before.refusal.message().equals(message);
  }

  /// How often those of its role were refused again: what keeps out one keeps out the others, and
  /// they are tried in turn.
  private int timesOf(String pod) {
    return refusals.values().stream()
        .filter(refused -> isOfRole(refused.refusal, role(pod)))
        .mapToInt(Refused::times)
        .max()
        .orElse(0);
  }

  private static boolean isOfRole(Refusal refusal, String role) {
    return refusal.obstacle() == null && role(refusal.pod()).equals(role);
  }

  /// Of a pod what its name has before the number; of an object its word.
  private static String role(String pod) {
    int number = pod.lastIndexOf('-') + 1;
    return number == 0 ? pod : pod.substring(0, number);
  }

  /// How often the cluster would not take something, ever.
  synchronized long refusedEver() {
    return refusedEver;
  }

  /// What kept others of its role out is over, too.
  synchronized void taken(String pod) {
    refusals.remove(pod);
    refusals.values().removeIf(refused -> isOfRole(refused.refusal, role(pod)));
  }

  /// The refusals that still matter: those that were tried again in time, and others of their role.
  synchronized List<Refusal> refusals(Instant now) {
    Map<String, Instant> newest = new HashMap<>();
    refusals
        .values()
        .forEach(refused ->
            newest.merge(
                role(refused.refusal.pod()),
                refused.refusal.tryAgainAt(),
                (a, b) -> a.isAfter(b) ? a : b));
    Set<String> old = new HashSet<>();
    newest.forEach((role, tryAgainAt) -> {
      if (tryAgainAt.plus(Duration.ofMinutes(2)).isBefore(now)) {
        old.add(role);
      }
    });
    refusals.values().removeIf(refused -> old.contains(role(refused.refusal.pod())));
    return refusals.values().stream()
        .map(Refused::refusal)
        .sorted(java.util.Comparator.comparing(Refusal::pod))
        .toList();
  }

  synchronized void deleted(String podUid, long grace, Instant now) {
    deletions.values().removeIf(deletion -> deletion.at.plus(LATENCY).isBefore(now));
    deletions.put(podUid, new Deleted(grace, now));
  }

  /// How long the pod was given when it was deleted, where that was a moment ago.
  synchronized @Nullable Long deletion(String podUid, Instant now) {
    Deleted deletion = deletions.get(podUid);
    return deletion == null || deletion.at.plus(LATENCY).isBefore(now) ? null : deletion.grace;
  }

  /// Since when that is what there is to say of the job.
  synchronized Instant wantedSince(JobStatus status, Instant now) {
    if (!status.equals(wanted)) {
      wanted = status;
      wantedSince = now;
    }
    return wantedSince;
  }

  /// What was said of the job last. A cache may not show it yet, and what was told once is not to
  /// be told again.
  synchronized @Nullable JobStatus status(ElasticJobResource resource) {
    Written ours = written;
    ObjectMeta cached = resource.getMetadata();
    if (ours != null && ours.uid.equals(cached.getUid()) && ours.version > version(cached)) {
      return ours.status;
    }
    written = null;
    return resource.getStatus();
  }

  private static long version(ObjectMeta metadata) {
    try {
      return Long.parseLong(metadata.getResourceVersion());
    } catch (NumberFormatException e) {
      return 0; // Of a cluster that counts otherwise nothing is known but what its caches show.
    }
  }

  synchronized Instant statusWritten() {
    return statusWritten;
  }

  /// @param now the job's metadata since then
  synchronized void statusWritten(JobStatus status, ObjectMeta now, Instant at) {
    written = new Written(now.getUid(), version(now), status);
    statusWritten = at;
  }

  /// How many turns in a row did not finish, with the one that has just ended.
  synchronized int unfinished(boolean finished) {
    unfinished = finished ? 0 : unfinished + 1;
    return unfinished;
  }
}

package dev.pliant.cli.kubernetes;

import dev.pliant.kubernetes.JobNames;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The pods of a job as they come and go, looked at again and again.
final class FollowedPods implements PodLogs.Following {
  private final ClusterObjects objects;
  private final JobNames names;
  private final Patience patience = new Patience();

  /// By uid: what was seen of each last; another thread asks.
  private volatile Map<String, Pod> seen = Map.of();

  FollowedPods(ClusterObjects objects, JobNames names) {
    this.objects = objects;
    this.names = names;
  }

  @Override
  public PodLogs.Seen look() {
    // Whether it is over is asked before: a pod that comes until then is still seen.
    boolean goesOn =
        patience.with(
            () -> objects.find(names.job()).map(job -> JobInfos.state(job).running()).orElse(false),
            true);
    List<Pod> pods = patience.with(() -> objects.pods(names), List.copyOf(seen.values()));
    Map<String, Pod> now = new LinkedHashMap<>();
    pods.forEach(pod -> now.put(pod.getMetadata().getUid(), pod));
    seen = now;
    return new PodLogs.Seen(pods, goesOn);
  }

  @Override
  public boolean lives(Pod pod) {
    Pod now = seen.get(pod.getMetadata().getUid());
    return now != null && !PodLogs.ended(now);
  }
}

package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.crds.api.DecisionNote;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobHistory;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.PliantException;
import dev.pliant.model.decision.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a job's master has in its journal, as far as it can be asked: while the job runs, through a
/// forwarded port; once it is over, what the job's status keeps of it.
final class ClusterHistory implements AutoCloseable {
  private static final Set<String> REASONS =
      Arrays.stream(Rule.values()).map(Rule::reason).collect(Collectors.toUnmodifiableSet());

  private final ElasticJobResource job;
  private @Nullable MasterTunnel tunnel;
  private String after = "";
  private boolean kept;

  ClusterHistory(Cluster cluster, ElasticJobResource job) {
    this.job = job;
    String pod = JobInfos.status(job).master();
    if (JobInfos.state(job).running() && pod != null && !pod.isEmpty()) {
      try {
        tunnel = MasterTunnel.open(cluster, JobNames.of(job), pod);
      } catch (MasterTunnel.Closed e) {
        tunnel = null; // What the cluster keeps is shown without it.
      }
    }
  }

  /// What happened since the last call; nothing where no master answers.
  List<JobEvent> more() {
    MasterTunnel open = tunnel;
    if (open == null) {
      if (kept) {
        return List.of();
      }
      kept = true;
      return kept(job);
    }
    List<JobEvent> events = new ArrayList<>();
    try {
      JobClient.EventPage page;
      do {
        page = open.client().events(after, MasterTunnel.PATIENCE);
        events.addAll(page.events());
        after = page.next();
      } while (page.more());
    } catch (PliantException e) {
      // The master is away, or ended with the job.
      open.close();
      tunnel = null;
      kept = true;
    }
    return events;
  }

  /// What the status of a job that is over keeps, and where the rest is.
  static List<JobEvent> kept(ElasticJobResource job) {
    JobHistory history = JobInfos.status(job).history();
    if (history == null) {
      return List.of();
    }
    Instant end = PodViews.instant(JobInfos.status(job).completionTime()).orElse(Instant.EPOCH);
    List<JobEvent> events = new ArrayList<>();
    for (DecisionNote note : history.newest()) {
      events.add(
          new JobEvent(
              note.number(), end, "decision", note.message(), Map.of("rule", note.rule())));
    }
    events.add(
        new JobEvent(
            history.decisions(),
            end,
            "history",
            "%,d of %,d decisions are shown. %s"
                .formatted(history.newest().size(), history.decisions(), history.journal()),
            Map.of()));
    return events;
  }

  /// Both in the order of their times. Where the master's history is there, the cluster's copies of
  /// its decisions are left out.
  static List<JobEvent> merged(List<JobEvent> cluster, List<JobEvent> master) {
    boolean copies = master.stream().anyMatch(event -> event.kind().equals("decision"));
    List<JobEvent> merged = new ArrayList<>(master);
    cluster.stream().filter(event -> !copies || !isCopy(event)).forEach(merged::add);
    merged.sort(Comparator.comparing(JobEvent::at));
    return merged;
  }

  private static boolean isCopy(JobEvent event) {
    String reason = event.inputs().get("reason");
    return event.kind().equals("job")
        && reason != null
        && REASONS.contains(reason)
        && !reason.startsWith("Pods")
        && !reason.startsWith("Master")
        && !reason.equals(Rule.SECRET_REPLACED.reason());
  }

  @Override
  public void close() {
    if (tunnel != null) {
      tunnel.close();
    }
  }
}

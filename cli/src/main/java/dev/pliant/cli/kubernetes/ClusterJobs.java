package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.DeletedJob;
import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.Jobs;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.WaitNotes;
import dev.pliant.cli.kubernetes.JobInfos.Heard;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/// The ElasticJobs of a cluster.
public final class ClusterJobs implements Jobs {
  /// Of a list, so many masters are asked how far they are; the others' jobs show what the cluster
  /// has written down.
  static final int ASKED_AT_ONCE = 8;

  private static final Duration EVENTS_PAUSE = Duration.ofSeconds(1);
  private static final Duration STOP_BOUND = Duration.ofSeconds(120);
  private static final Duration STOP_PAUSE = Duration.ofMillis(300);

  private final Cluster cluster;
  private final ClusterObjects objects;

  private ClusterJobs(Cluster cluster) {
    this.cluster = cluster;
    this.objects = new ClusterObjects(cluster);
  }

  public static ClusterJobs open(ClusterChoice choice) {
    return new ClusterJobs(Cluster.open(choice));
  }

  @Override
  public String namespace() {
    return cluster.namespace();
  }

  @Override
  public List<JobInfo> list(Namespaces which) {
    Optional<String> namespace = namespace(which);
    List<ElasticJobResource> jobs = sorted(namespace);
    List<Pod> pods = jobs.isEmpty() ? List.of() : objects.podsOfAll(namespace);
    List<Heard> heard = heard(jobs);
    List<JobInfo> infos = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      ElasticJobResource job = jobs.get(i);
      List<Pod> own = pods.stream().filter(pod -> belongs(pod, job)).toList();
      infos.add(JobInfos.of(job, own, heard.get(i), Instant.now()));
    }
    return infos;
  }

  @Override
  public List<JobId> names(Namespaces which) {
    return sorted(namespace(which)).stream().map(JobInfos::id).toList();
  }

  private Optional<String> namespace(Namespaces which) {
    return which == Namespaces.ALL ? Optional.empty() : Optional.of(cluster.namespace());
  }

  private List<ElasticJobResource> sorted(Optional<String> namespace) {
    return objects.jobs(namespace).stream()
        .sorted(Comparator.comparing((ElasticJobResource job) -> JobInfos.id(job).toString()))
        .toList();
  }

  private static boolean belongs(Pod pod, ElasticJobResource job) {
    return job.getMetadata().getNamespace().equals(pod.getMetadata().getNamespace())
        && job.getMetadata()
            .getName()
            .equals(pod.getMetadata().getLabels().get(JobNames.JOB_LABEL));
  }

  /// Asks the first masters that run, all at once.
  private List<Heard> heard(List<ElasticJobResource> jobs) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Heard>> asked = new ArrayList<>();
      int running = 0;
      for (ElasticJobResource job : jobs) {
        boolean ask = JobInfos.state(job).running() && running++ < ASKED_AT_ONCE;
        asked.add(threads.submit(() -> ask ? MasterTunnel.ask(cluster, job) : Heard.NOTHING));
      }
      List<Heard> heard = new ArrayList<>();
      for (Future<Heard> answer : asked) {
        heard.add(answer.get());
      }
      return heard;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return jobs.stream().map(job -> Heard.NOTHING).toList();
    }
  }

  @Override
  public JobInfo find(JobId job) {
    ElasticJobResource resource = objects.existing(job);
    List<Pod> pods = objects.visiblePods(new JobNames(job));
    return JobInfos.of(resource, pods, MasterTunnel.ask(cluster, resource), Instant.now());
  }

  @Override
  public List<JobEvent> lastEvents(JobId job, int count) {
    ElasticJobResource resource = objects.existing(job);
    try (ClusterHistory history = new ClusterHistory(cluster, resource)) {
      List<JobEvent> events = ClusterHistory.merged(objects.events(resource), history.more());
      return events.subList(Math.max(0, events.size() - count), events.size());
    }
  }

  @Override
  public void events(JobId job, boolean follow, Consumer<JobEvent> sink)
      throws InterruptedException {
    ElasticJobResource resource = objects.existing(job);
    Set<String> told = new LinkedHashSet<>();
    boolean goOn = goesOn(resource);
    try (ClusterHistory history = new ClusterHistory(cluster, resource)) {
      tell(objects.events(resource), history, told, sink);
      Patience patience = new Patience();
      while (follow && goOn) {
        Thread.sleep(EVENTS_PAUSE);
        // Whether it is over is asked before: its last events are told after it.
        goOn = patience.with(() -> objects.find(job).map(ClusterJobs::goesOn).orElse(false), true);
        tell(
            patience.with(() -> objects.events(resource), List.<JobEvent>of()),
            history,
            told,
            sink);
      }
    }
  }

  private static void tell(
      List<JobEvent> cluster, ClusterHistory history, Set<String> told, Consumer<JobEvent> sink) {
    List<JobEvent> fresh =
        cluster.stream().filter(event -> told.add(ClusterEvents.identity(event))).toList();
    ClusterHistory.merged(fresh, history.more()).forEach(sink);
  }

  private static boolean goesOn(ElasticJobResource job) {
    return JobInfos.state(job).running();
  }

  @Override
  public void logs(JobId job, LogWish wish, LogFollower.Sink sink)
      throws IOException, InterruptedException {
    JobNames names = new JobNames(job);
    ElasticJobResource unused = objects.existing(job);
    PodLogs logs = new PodLogs(cluster, names, wish, sink);
    if (wish.follow()) {
      logs.follow(new FollowedPods(objects, names));
    } else {
      logs.show(objects.pods(names));
    }
  }

  @Override
  public String scale(JobId job, int workers) {
    ElasticJobResource resource = objects.existing(job);
    State state = JobInfos.state(resource);
    if (JobInfos.over(state)) {
      throw over(job);
    }
    int given = Wishes.given(workers, JobInfos.bounds(resource));
    objects.scale(job, given);
    // What holds now: without a most of its own, a job's grows with what is wished.
    String answer = Wishes.answer(workers, JobInfos.bounds(objects.existing(job)), state);
    return JobInfos.hears(resource, objects.wished(JobNames.of(resource)), given)
        ? answer
        : "%s The job said so before, and its master wishes another number: ScalePlan %s tells it."
            .formatted(answer, objects.create(ManualPlans.workers(resource, given)));
  }

  private PliantException over(JobId job) {
    return new PliantException(
        ErrorCode.JOB_OVER,
        "job %s does not run; '%s' shows how it ended."
            .formatted(job, cluster.calling().verb("describe", job, "")));
  }

  @Override
  public String stop(JobId job, Consumer<String> meanwhile) throws InterruptedException {
    ElasticJobResource before = objects.existing(job);
    if (JobInfos.over(JobInfos.state(before))) {
      throw over(job);
    }
    objects.suspend(job, true);
    Patience patience = new Patience();
    WaitNotes notes = new WaitNotes(meanwhile, System.nanoTime());
    long end = System.nanoTime() + STOP_BOUND.toNanos();
    while (System.nanoTime() - end < 0) {
      Optional<String> stopped =
          patience.with(
              () -> stopped(before, objects.find(job), cluster.calling()), Optional.empty());
      if (stopped.isPresent()) {
        return stopped.get();
      }
      notes.still("job %s has not stopped yet".formatted(job), System.nanoTime());
      Thread.sleep(STOP_PAUSE);
    }
    throw new PliantException(
        ErrorCode.CLUSTER_SLOW,
        "job %s was told to stop, but has not ended after %d s; '%s' shows what it waits for. Nothing happens where Pliant's operator does not run."
            .formatted(job, STOP_BOUND.toSeconds(), cluster.calling().verb("describe", job, "")));
  }

  /// What became of a job that was told to stop, or nothing while it has not.
  ///
  /// @param now the job of that name that there is, if there is one
  /// @throws PliantException where the job is gone, so that nobody can go on with it
  static Optional<String> stopped(
      ElasticJobResource before, Optional<ElasticJobResource> now, Calling calling) {
    JobId job = JobInfos.id(before);
    String named = " --name " + job.name(); // The file may say another.
    if (now.filter(found -> isSame(found, before)).isEmpty()) {
      throw new PliantException(
          ErrorCode.UNKNOWN_JOB,
          "job %s was deleted before it had stopped; '%s' starts it anew."
              .formatted(job, calling.submit("FILE", job, named)));
    }
    State state = JobInfos.state(now.get());
    if (state == State.SUSPENDED) {
      return Optional.of(
          "job %s is stopped; '%s' goes on with it."
              .formatted(job, calling.submit("FILE", job, " --resume" + named)));
    }
    return JobInfos.over(state)
        ? Optional.of("job %s ended before it could be stopped: %s.".formatted(job, state.word()))
        : Optional.empty();
  }

  /// One of the same name that was made meanwhile is another.
  private static boolean isSame(ElasticJobResource found, ElasticJobResource before) {
    return Objects.equals(found.getMetadata().getUid(), before.getMetadata().getUid());
  }

  @Override
  public DeletedJob delete(JobId job, boolean checkpoints, Consumer<String> meanwhile)
      throws InterruptedException {
    ElasticJobResource found = objects.existing(job);
    if (checkpoints && ClaimFolder.checkpoints(found).isPresent()) {
      if (!found.getMetadata().getFinalizers().contains(JobNames.FINALIZER)) {
        throw new PliantException(
            ErrorCode.CLUSTER_SLOW,
            "Pliant's operator has not seen job %s, so nobody would delete its checkpoints. Nothing was deleted; check that the operator runs, or delete the job without --checkpoints."
                .formatted(job));
      }
      objects.deleteCheckpointsToo(job);
      found = objects.existing(job);
    }
    String line = new Deletion(objects).delete(job, meanwhile);
    return ClaimsLeft.of(found, line, notCleaned(found));
  }

  /// What the operator says of folders that it could not delete, if it could not.
  private Optional<String> notCleaned(ElasticJobResource job) {
    if (ClaimFolder.deletedWith(job).isEmpty()) {
      return Optional.empty();
    }
    String reason = "ClaimNotCleaned";
    return ClusterObjects.orNone(() -> objects.events(job)).stream()
        .filter(event -> reason.equals(event.inputs().get("reason")))
        .map(event -> event.message().replaceFirst("^" + reason + ": ", ""))
        .findFirst();
  }

  @Override
  public Path journalFolder(JobId job, String command) {
    ElasticJobResource found = objects.existing(job);
    Optional<ClaimFolder> journal = ClaimFolder.journal(found);
    throw new PliantException(
        ErrorCode.UNKNOWN_JOB,
        journal.isEmpty()
            ? "the journal of job %s lies in its master's pod and goes with it; give the job a claim in 'spec.storage' to keep it."
                .formatted(job)
            : "the journal of job %s lies on the claim '%s'; mount that, at /mnt for instance, and call '%s'."
                .formatted(
                    job,
                    journal.get().claim(),
                    cluster
                        .calling()
                        .onFolder(command, job, "/mnt/" + journal.get().folder() + "/job")));
  }

  @Override
  public void close() {
    cluster.close();
  }
}

package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ContainerResource;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.dsl.TailPrettyLoggable;
import io.fabric8.kubernetes.client.dsl.TimeTailPrettyLoggable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What the pods of a job have printed: one after the other, or, to be followed, all at once, with
/// a thread for each pod. Pods that come later are picked up; a connection that is cut is made anew
/// where it was.
final class PodLogs {
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(500);

  /// How long the last lines of a pod that ended may take to come.
  private static final Duration REST = Duration.ofSeconds(10);

  private final Cluster cluster;
  private final JobNames names;
  private final LogWish wish;
  private final LogFollower.Sink sink;
  private final Map<String, Thread> readers = new LinkedHashMap<>();
  private final Set<String> said = new LinkedHashSet<>();

  /// Why no log can be read; a reader's word to whoever started it.
  private volatile @Nullable PliantException refusal;

  PodLogs(Cluster cluster, JobNames names, LogWish wish, LogFollower.Sink sink) {
    this.cluster = cluster;
    this.names = names;
    this.wish = wish;
    this.sink = sink;
  }

  /// Prints what there is, and says of what there is not why.
  void show(List<Pod> pods) throws IOException {
    List<Pod> wanted = wanted(pods);
    if (!wish.worker().isEmpty() && wanted.isEmpty()) {
      throw unknown(pods);
    }
    if (wanted.isEmpty()) {
      sink.note(noPods());
    }
    for (Pod pod : wanted) {
      if (started(pod)) {
        show(pod);
      } else {
        sink.note(MissingLogs.notBegun(pod));
      }
    }
  }

  /// A pod that is gone meanwhile keeps nobody from the others' logs.
  private void show(Pod pod) throws IOException {
    LogResume resume = new LogResume();
    try (InputStream log = from(pod, resume).getLogInputStream()) {
      print(PodViews.node(pod), log, resume);
    } catch (KubernetesClientException e) {
      if (e.getCode() != 404) {
        throw refused(pod, e);
      }
      sink.note(MissingLogs.gone(pod));
    }
  }

  private PliantException refused(Pod pod, KubernetesClientException fault) {
    return ClusterFaults.of(fault, "read the log of pod " + name(pod), cluster.name());
  }

  private PliantException unknown(List<Pod> pods) {
    return new PliantException(
        ErrorCode.UNKNOWN_WORKER,
        "job %s has no pod of '%s'; there are those of %s."
            .formatted(
                names.job(), wish.worker(), pods.stream().map(PodViews::node).sorted().toList()));
  }

  private String noPods() {
    return "job %s has no pods of workers now; '%s' shows where it is."
        .formatted(names.job(), cluster.calling().verb("describe", names.job(), ""));
  }

  /// Prints what there is and what comes.
  ///
  /// @param world says which pods there are now, and whether there will be more
  /// @throws PliantException where logs may not be read, or a node is asked for that the job will
  ///   not have
  void follow(Following world) throws InterruptedException {
    try {
      boolean goOn = true;
      while (goOn) {
        Seen seen = world.look();
        List<Pod> wanted = wanted(seen.pods());
        if (wanted.isEmpty()) {
          checkToCome(seen);
        }
        wanted.forEach(pod -> begin(pod, world));
        throwRefusal();
        goOn = seen.goesOn();
        if (goOn) {
          Thread.sleep(LOOK);
        }
      }
      long end = System.nanoTime() + REST.toNanos();
      for (Thread reader : readers.values()) {
        boolean unused = reader.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      }
      throwRefusal();
    } finally {
      readers.values().forEach(Thread::interrupt);
      synchronized (sink) {
        sink.pause();
      }
    }
  }

  /// There is nobody to read of. One that was there and went is no mistake of the user's.
  private void checkToCome(Seen seen) {
    boolean named = !wish.worker().isEmpty();
    if (named
        && readers.isEmpty()
        && !(seen.goesOn() && MissingLogs.mayCome(wish.worker(), seen.pods()))) {
      throw unknown(seen.pods());
    }
    if (!named) {
      say(noPods());
    } else if (seen.goesOn()) {
      say("job %s has no pod of '%s' now; it is waited for.".formatted(names.job(), wish.worker()));
    }
  }

  private void begin(Pod pod, Following world) {
    if (!started(pod)) {
      say(MissingLogs.notBegun(pod));
    } else if (!readers.containsKey(uid(pod))) {
      readers.put(
          uid(pod), Thread.ofVirtual().name("logs-" + name(pod)).start(() -> read(pod, world)));
    }
  }

  /// Once: a follower looks every second.
  private void say(String note) {
    if (said.add(note)) {
      synchronized (sink) {
        sink.note(note);
      }
    }
  }

  private void throwRefusal() {
    PliantException fault = refusal;
    if (fault != null) {
      throw fault;
    }
  }

  /// What a follower looks at.
  interface Following {
    Seen look() throws InterruptedException;

    /// Whether the pod's first container may still print.
    boolean lives(Pod pod);
  }

  /// @param goesOn whether the job is not over yet
  record Seen(List<Pod> pods, boolean goesOn) {}

  private void read(Pod pod, Following world) {
    LogResume resume = new LogResume();
    boolean more = true;
    while (more) {
      more = world.lives(pod); // Asked before: what is printed until its end is read after it.
      try {
        checkReadable(pod);
        try (LogWatch watch = from(pod, resume).watchLog()) {
          print(PodViews.node(pod), watch.getOutput(), resume);
        }
      } catch (KubernetesClientException e) {
        if (e.getCode() == 401 || e.getCode() == 403) {
          refusal = refused(pod, e); // Nor will it be allowed the next time.
          return;
        }
        // The pod is gone, or the API server is away: the next look tells.
      } catch (IOException e) {
        // The connection is gone: the next look tells.
      }
      try {
        Thread.sleep(more ? RETRY : Duration.ZERO);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /// Asks for no line of it: to a watch, a refusal would be a line like any other.
  private void checkReadable(Pod pod) {
    String unused = container(pod).tailingLines(0).getLog();
  }

  /// The log of the first container, from where it was read to.
  private Log from(Pod pod, LogResume resume) {
    TimeTailPrettyLoggable log = container(pod).usingTimestamps();
    Optional<String> since = resume.begin();
    TailPrettyLoggable rest = since.isPresent() ? log.sinceTime(since.get()) : log;
    return new Log(rest, since.isEmpty() ? wish.tail() : -1);
  }

  private ContainerResource container(Pod pod) {
    return cluster
        .client()
        .pods()
        .inNamespace(names.namespace())
        .withName(name(pod))
        .inContainer(pod.getSpec().getContainers().getFirst().getName());
  }

  /// The last lines of a log, or all of it.
  private record Log(TailPrettyLoggable log, int tail) {
    InputStream getLogInputStream() {
      return tail < 0 ? log.getLogInputStream() : log.tailingLines(tail).getLogInputStream();
    }

    LogWatch watchLog() {
      return tail < 0 ? log.watchLog() : log.tailingLines(tail).watchLog();
    }
  }

  private void print(String node, InputStream log, LogResume resume) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(log, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Optional<String> text = resume.take(line);
      synchronized (sink) {
        text.ifPresent(taken -> sink.line(node, taken));
        if (wish.follow() && !lines.ready()) {
          sink.pause();
        }
      }
    }
  }

  private List<Pod> wanted(List<Pod> pods) {
    Predicate<Pod> wanted =
        pod ->
            wish.worker().isEmpty()
                ? wish.all() || !PodViews.node(pod).equals(JobNames.MASTER)
                : PodViews.node(pod).equals(wish.worker());
    return pods.stream().filter(wanted).toList();
  }

  /// Whether its first container has begun, so that there is a log.
  static boolean started(Pod pod) {
    return state(pod)
        .map(state -> state.getRunning() != null || state.getTerminated() != null)
        .orElse(false);
  }

  /// Whether its first container has ended.
  static boolean ended(Pod pod) {
    return state(pod).map(state -> state.getTerminated() != null).orElse(false);
  }

  private static Optional<ContainerState> state(Pod pod) {
    if (pod.getStatus() == null
        || pod.getStatus().getContainerStatuses() == null
        || pod.getSpec() == null) {
      return Optional.empty();
    }
    String main = pod.getSpec().getContainers().getFirst().getName();
    return pod.getStatus().getContainerStatuses().stream()
        .filter(container -> container.getName().equals(main))
        .map(ContainerStatus::getState)
        .findFirst();
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }
}

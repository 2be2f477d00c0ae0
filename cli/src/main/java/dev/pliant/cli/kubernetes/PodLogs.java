package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.ReaderGone;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.MainContainer;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// What the pods of a job have printed: one after the other, or, to be followed, all at once, with
/// a thread for each pod. Pods that come later are picked up.
final class PodLogs {
  private static final Duration LOOK = Duration.ofSeconds(1);

  /// How long a pod whose job is over may print nothing before it is given up.
  private static final Duration REST = Duration.ofSeconds(10);

  private final Cluster cluster;
  private final JobNames names;
  private final LogWish wish;
  private final LogFollower.Sink sink;
  private final Duration rest;
  private final Map<String, Reader> readers = new LinkedHashMap<>();
  private final Set<String> said = new LinkedHashSet<>();

  /// A log and the thread that follows it.
  private record Reader(PodLog log, Thread thread) {
    void end() {
      log.breakOff();
      thread.interrupt();
    }
  }

  PodLogs(Cluster cluster, JobNames names, LogWish wish, LogFollower.Sink sink) {
    this(cluster, names, wish, sink, REST);
  }

  PodLogs(Cluster cluster, JobNames names, LogWish wish, LogFollower.Sink sink, Duration rest) {
    this.cluster = cluster;
    this.names = names;
    this.wish = wish;
    this.sink = sink;
    this.rest = rest;
  }

  /// Prints what there is, and says of what there is not why. A pod that is gone meanwhile, or lies
  /// on a machine that is, keeps nobody from the others' logs.
  ///
  /// @throws PliantException where logs may not be read, or some could not be
  void show(List<Pod> pods) {
    List<Pod> wanted = wanted(pods);
    if (!wish.worker().isEmpty() && wanted.isEmpty()) {
      throw unknown(pods);
    }
    if (wanted.isEmpty()) {
      sink.note(noPods());
    }
    List<String> unread = new ArrayList<>();
    for (Pod pod : wanted) {
      if (!started(pod)) {
        sink.note(MissingLogs.notBegun(pod));
      } else if (!new PodLog(cluster, pod, wish, sink).show()) {
        unread.add(name(pod));
      }
    }
    if (!unread.isEmpty()) {
      throw MissingLogs.incomplete(unread);
    }
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
  /// @throws PliantException where logs may not be read, or some could not be, or a node is asked
  ///   for that the job will not have
  /// @throws ReaderGone where nobody is there to see them
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
        check();
        goOn = seen.goesOn();
        if (goOn) {
          Thread.sleep(LOOK);
        }
      }
      followToTheirEnds(world);
    } finally {
      readers.values().forEach(Reader::end);
    }
  }

  /// The job is over; its pods may have something to say yet.
  private void followToTheirEnds(Following world) throws InterruptedException {
    long over = System.nanoTime();
    for (List<Reader> open = open(over); !open.isEmpty(); open = open(over)) {
      boolean unused = open.getFirst().thread().join(LOOK);
      var unusedToo = world.look(); // So that it is known which of them have ended.
      check();
    }
    check();
    List<String> unread = new ArrayList<>();
    for (Reader reader : readers.values()) {
      Pod pod = reader.log().pod();
      boolean ended = !reader.thread().isAlive();
      if (!ended && (reader.log().troubled() || !world.lives(pod))) {
        unread.add(name(pod));
      } else if (!ended) {
        say(MissingLogs.silent(pod, rest));
      }
    }
    if (!unread.isEmpty()) {
      throw MissingLogs.incomplete(unread);
    }
  }

  /// Those who may still print.
  private List<Reader> open(long overNanos) {
    long now = System.nanoTime();
    return readers.values().stream()
        .filter(reader -> reader.thread().isAlive())
        .filter(reader -> !silent(now, overNanos, reader.log().heardNanos(), rest))
        .toList();
  }

  /// Whether nothing has come for so long since the job was over, or since the last line if that
  /// came later: one that has much to say is heard to its end.
  static boolean silent(long nowNanos, long overNanos, long heardNanos, Duration rest) {
    long since = heardNanos - overNanos > 0 ? heardNanos : overNanos;
    return nowNanos - since > rest.toNanos();
  }

  /// Shows what came meanwhile, as long as somebody is there to see it.
  private void check() {
    readers.values().forEach(reader -> reader.log().throwRefusal());
    synchronized (sink) {
      sink.pause();
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
      PodLog log = new PodLog(cluster, pod, wish, sink);
      Thread thread =
          Thread.ofVirtual()
              .name("logs-" + name(pod))
              .start(() -> log.follow(() -> world.lives(pod)));
      readers.put(uid(pod), new Reader(log, thread));
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

  /// What a follower looks at.
  interface Following {
    Seen look() throws InterruptedException;

    /// Whether the pod's main container may still print.
    boolean lives(Pod pod);
  }

  /// @param goesOn whether the job is not over yet
  record Seen(List<Pod> pods, boolean goesOn) {}

  private List<Pod> wanted(List<Pod> pods) {
    Predicate<Pod> wanted =
        pod ->
            wish.worker().isEmpty()
                ? wish.all() || !PodViews.node(pod).equals(JobNames.MASTER)
                : PodViews.node(pod).equals(wish.worker());
    return pods.stream().filter(wanted).toList();
  }

  /// Whether its main container has begun, so that there is a log.
  static boolean started(Pod pod) {
    return state(pod)
        .map(state -> state.getRunning() != null || state.getTerminated() != null)
        .orElse(false);
  }

  /// Whether its main container has ended.
  static boolean ended(Pod pod) {
    return state(pod).map(state -> state.getTerminated() != null).orElse(false);
  }

  private static Optional<ContainerState> state(Pod pod) {
    if (pod.getStatus() == null
        || pod.getStatus().getContainerStatuses() == null
        || pod.getSpec() == null) {
      return Optional.empty();
    }
    String main = MainContainer.of(pod).orElseThrow();
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

package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LineCutter;
import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.ReaderGone;
import dev.pliant.kubernetes.MainContainer;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ContainerResource;
import io.fabric8.kubernetes.client.dsl.TimeTailPrettyLoggable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The log of a pod's main container, read once, or followed to its end: a connection that is cut
/// is made anew where it was. One thread reads; another may ask how it stands. What is printed goes
/// through the sink's own lock, for several logs share it.
final class PodLog {
  private static final int BUFFER_BYTES = 32 << 10;
  private static final Duration RETRY = Duration.ofMillis(500);

  /// Of a log that cannot be read for longer than a moment.
  private static final Duration LATER = Duration.ofSeconds(5);

  private static final Duration MOMENT = Duration.ofSeconds(2);

  private final Cluster cluster;
  private final Pod pod;
  private final LogWish wish;
  private final LogFollower.Sink sink;
  private final LogResume resume = new LogResume();
  private boolean said;

  /// Holds the line in which the last connection ended.
  private LineCutter lines = new LineCutter();

  /// Whether the connection brought anything that was not shown before.
  private boolean news;

  /// When a line came last.
  private volatile long heardNanos = System.nanoTime();

  /// Whether it is not known that its machine answers, so that there may be more of it.
  private volatile boolean troubled = true;

  private volatile boolean unwanted;

  /// Why it may not be read, where that is so.
  private volatile @Nullable PliantException refusal;

  PodLog(Cluster cluster, Pod pod, LogWish wish, LogFollower.Sink sink) {
    this.cluster = cluster;
    this.pod = pod;
    this.wish = wish;
    this.sink = sink;
  }

  Pod pod() {
    return pod;
  }

  long heardNanos() {
    return heardNanos;
  }

  boolean troubled() {
    return troubled;
  }

  /// Whoever follows it is to end; to be told before its thread is interrupted.
  void breakOff() {
    unwanted = true;
  }

  /// @throws PliantException where it may not be read
  void throwRefusal() {
    PliantException fault = refusal;
    if (fault != null) {
      throw fault;
    }
  }

  /// Prints what there is, and says why there is nothing; whether it could be read.
  ///
  /// @throws PliantException where it may not be, or the cluster is away
  boolean show() {
    try (InputStream log = once()) {
      boolean unused = print(log);
      finish();
      return true;
    } catch (KubernetesClientException e) {
      return switch (LogTrouble.of(e)) {
        case REFUSED, AWAY -> throw fault(e);
        case GONE -> {
          sink.note(MissingLogs.gone(pod));
          yield true;
        }
        case BUSY, UNREADABLE -> {
          sink.note(MissingLogs.unreadable(pod, why(e)));
          yield false;
        }
      };
    } catch (IOException e) {
      sink.note(MissingLogs.unreadable(pod, ClusterFaults.broken(e)));
      return false;
    }
  }

  /// Prints what there is and what comes, until its container has ended and all was read, or nobody
  /// wants it any more. That a connection ends says nothing: the server ends it in the same way
  /// where a machine dies in the middle of a line. So all was read once a further one brings
  /// nothing new.
  ///
  /// @param lives whether the container may still print
  void follow(BooleanSupplier lives) {
    Optional<Long> failing = Optional.empty(); // Since when.
    boolean more = true;
    while (more) {
      boolean living = lives.getAsBoolean(); // Asked before: what is printed until its end is read.
      long heard = heardNanos;
      Round round = attempt();
      long now = System.nanoTime();
      if (unwanted) {
        return; // What went wrong is that it was broken off.
      }
      switch (round) {
        case Round.Ended(boolean anew) -> {
          failing = Optional.empty();
          more = living || anew;
        }
        case Round.Failed failed -> {
          failing = heard == heardNanos ? failing.or(() -> Optional.of(now)) : Optional.of(now);
          more = goesOnAfter(failed, living, now - failing.get());
        }
      }
      try {
        Thread.sleep(!more ? Duration.ZERO : said && troubled ? LATER : RETRY);
      } catch (InterruptedException e) {
        return;
      }
    }
    if (refusal == null) {
      finishForOthers();
    }
  }

  /// Whether there is any use in trying again.
  private boolean goesOnAfter(Round.Failed failure, boolean living, long failingNanos) {
    return switch (failure.trouble()) {
      case REFUSED -> {
        refusal = failure.fault();
        yield false;
      }
      case GONE -> {
        troubled = false;
        yield living; // The next look tells.
      }
      case AWAY, BUSY -> {
        troubled = true;
        yield true;
      }
      case UNREADABLE -> {
        troubled = true;
        if (failingNanos >= MOMENT.toNanos()) {
          sayOnce(failure.why());
        }
        yield true;
      }
    };
  }

  private void sayOnce(String why) {
    if (!said) {
      said = true;
      synchronized (sink) {
        sink.note(MissingLogs.unreadable(pod, why));
      }
    }
  }

  /// What came of a connection.
  private sealed interface Round {
    /// It ended by itself, or seems to have.
    ///
    /// @param anew whether it brought anything that the ones before had not
    record Ended(boolean anew) implements Round {}

    /// The log could not be read, or not on.
    record Failed(LogTrouble trouble, String why, @Nullable PliantException fault)
        implements Round {}
  }

  /// Reads until the connection ends, by itself or not.
  private Round attempt() {
    troubled = true; // A machine that is gone does not refuse; it lets one wait.
    try {
      checkReadable();
      troubled = false;
      try (InputStream log = request().open(cluster.client())) {
        resume.begin();
        return new Round.Ended(print(log));
      }
    } catch (KubernetesClientException e) {
      return new Round.Failed(LogTrouble.of(e), why(e), fault(e));
    } catch (IOException e) { // It was cut.
      return new Round.Failed(LogTrouble.UNREADABLE, ClusterFaults.broken(e), null);
    } catch (ReaderGone e) {
      return new Round.Ended(false); // Whoever started this thread finds out by itself.
    }
  }

  /// Asks for no line of it, and is answered at once: a log that is to be followed is answered for
  /// only when there is something to read.
  private void checkReadable() {
    String unused = container().tailingLines(0).getLog();
  }

  private static String why(KubernetesClientException fault) {
    return fault.getStatus() == null ? ClusterFaults.broken(fault) : ClusterFaults.sentence(fault);
  }

  private PliantException fault(KubernetesClientException fault) {
    return ClusterFaults.of(
        fault, "read the log of pod " + pod.getMetadata().getName(), cluster.name());
  }

  /// From where it was read to.
  private LogRequest request() {
    Optional<String> since = resume.since();
    return new LogRequest(pod, since.orElse(null), since.isEmpty() ? wish.tail() : -1);
  }

  private InputStream once() {
    TimeTailPrettyLoggable log = container().usingTimestamps();
    return wish.tail() < 0
        ? log.getLogInputStream()
        : log.tailingLines(wish.tail()).getLogInputStream();
  }

  private ContainerResource container() {
    return cluster
        .client()
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .inContainer(MainContainer.of(pod).orElseThrow());
  }

  /// Prints the lines that have an end; whether anything came that had not come before. The line in
  /// which it ends is left: it comes again as a whole, unless it is the last.
  private boolean print(InputStream log) throws IOException {
    byte[] before = lines.unfinished();
    lines = new LineCutter();
    news = false;
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int length = log.read(buffer); length >= 0; length = log.read(buffer)) {
      synchronized (sink) {
        lines.cut(buffer, length, this::take);
        sink.pause();
      }
    }
    return news || !Arrays.equals(before, lines.unfinished());
  }

  /// Nothing more comes: prints the last line, where it has no end.
  private void finish() {
    synchronized (sink) {
      lines.finish(this::take);
      sink.pause();
    }
  }

  private void finishForOthers() {
    try {
      finish();
    } catch (ReaderGone e) {
      // Whoever started this thread finds out by itself.
    }
  }

  private void take(LinePiece piece) {
    resume
        .take(piece)
        .ifPresent(taken -> {
          news = true;
          heardNanos = System.nanoTime();
          sink.piece(PodViews.node(pod), taken);
        });
  }
}

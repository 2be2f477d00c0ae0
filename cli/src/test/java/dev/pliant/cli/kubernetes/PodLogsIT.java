package dev.pliant.cli.kubernetes;

import static dev.pliant.cli.FakeCluster.cut;
import static dev.pliant.cli.FakeCluster.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.cli.FakeCluster;
import dev.pliant.cli.FakeCluster.Answer;
import dev.pliant.cli.FakeCluster.Call;
import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Logs that are followed while connections are cut, machines die and pods outlive their jobs.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class PodLogsIT {
  private static final JobNames NAMES = new JobNames(new JobId("team", "digits"));
  private static final LogWish FOLLOW = new LogWish("", -1, false, true);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String A_LINE = "2026-01-01T00:00:01Z a line\n";
  private static final String LAST_LINE = "2026-01-01T00:00:02Z the last line";

  @TempDir Path folder;
  private FakeCluster fake;
  private Cluster cluster;
  private final Heard heard = new Heard();
  private final World world = new World();

  /// Until then the server lets one wait.
  private final CountDownLatch end = new CountDownLatch(1);

  @BeforeEach
  void open() throws IOException {
    fake = new FakeCluster(folder);
    cluster = Cluster.open(new ClusterChoice(fake.kubeconfig(), null, null));
  }

  @AfterEach
  void close() {
    end.countDown();
    world.over.countDown();
    cluster.close();
    fake.close();
  }

  /// What came of it.
  private static final class Heard implements LogFollower.Sink {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> notes = new CopyOnWriteArrayList<>();

    /// Of each line and note.
    private Runnable then = () -> {};

    @Override
    public void piece(String name, LinePiece piece) {
      if (piece.begins()) {
        lines.add(piece.text());
      } else {
        lines.set(lines.size() - 1, lines.getLast() + piece.text());
      }
      if (piece.ends()) {
        then.run();
      }
    }

    @Override
    public void leftOut(String name, long bytes) {
      lines.add("left out " + bytes);
    }

    @Override
    public void note(String text) {
      notes.add(text);
      then.run();
    }
  }

  /// One worker; its job is over when the test says so, and so is its pod unless it lives on.
  private static final class World implements PodLogs.Following {
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean livesOn;

    @Override
    public PodLogs.Seen look() {
      return new PodLogs.Seen(List.of(pod()), over.getCount() > 0);
    }

    @Override
    public boolean lives(Pod pod) {
      return livesOn || over.getCount() > 0;
    }
  }

  private static Pod pod() {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: digits-worker-0
          namespace: team
          uid: p-0
          labels: {pliant.dev/job: digits, pliant.dev/role: worker, pliant.dev/node: worker-0}
        spec: {nodeName: m-7, containers: [{name: main, image: i}]}
        status:
          containerStatuses: [{name: main, state: {running: {startedAt: "2026-01-01T00:00:00Z"}}}]
        """,
        Pod.class);
  }

  private PodLogs logs(Duration rest) {
    return new PodLogs(cluster, NAMES, FOLLOW, heard, rest);
  }

  /// Whether the log may be read is asked first, and is no part of what is tried here.
  private void onWatch(Function<Call, Answer> answer) {
    fake.on(
        "GET",
        "/log",
        call -> call.query().contains("follow=true") ? answer.apply(call) : new Answer(200, ""));
  }

  /// One connection after the other, each of which ends as if there were no more; then the last
  /// again and again.
  private AtomicInteger onWatches(Answer... answers) {
    AtomicInteger calls = new AtomicInteger();
    onWatch(_ -> answers[Math.min(calls.getAndIncrement(), answers.length - 1)]);
    return calls;
  }

  private static Answer log(String text) {
    return new Answer(200, text);
  }

  /// What is said only when all is over.
  private Answer late(Answer answer) {
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return answer;
  }

  /// Ends the job once so many lines and notes came.
  private void overAfter(int words) {
    AtomicInteger left = new AtomicInteger(words);
    heard.then =
        () -> {
          if (left.decrementAndGet() == 0) {
            world.over.countDown();
          }
        };
  }

  @Test
  void goesOnAfterTheConnectionWasCutBeforeTheFirstByte() throws Exception {
    AtomicInteger cuts = new AtomicInteger(4); // More than the client itself tries.
    onWatch(
        _ -> cuts.getAndDecrement() > 0 ? cut() : new Answer(200, "2026-01-01T00:00:01Z a line\n"));
    overAfter(1);

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line");
  }

  /// A progress bar draws over itself with carriage returns, which end no line: of what follows one
  /// it could not be known that it was shown before.
  @Test
  void aProgressBarIsShownOnceHoweverOftenTheConnectionIsMade() throws Exception {
    String bar = "2026-01-01T00:00:01Z 10%\r20%\r30%\r\n";
    String end = "2026-01-01T00:00:02Z done\n";
    AtomicInteger calls = new AtomicInteger();
    onWatch(_ -> new Answer(200, calls.incrementAndGet() < 3 ? bar : bar + end));
    overAfter(2);

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("10%\r20%\r30%", "done");
  }

  @Test
  void saysOnceWhichLogCannotBeReadAndEndsWithIt() {
    fake.on("GET", "/log", refused(500, "dial tcp: no route to host"));
    overAfter(1);
    world.livesOn = true;

    assertThatThrownBy(() -> logs(Duration.ofMillis(100)).follow(world))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("not all logs could be read; one is missing")
        .hasMessageContaining("digits-worker-0");
    assertThat(heard.notes)
        .containsExactly(
            "the log of pod digits-worker-0 on machine m-7 cannot be read: dial tcp: no route to host.");
  }

  /// In the server's form, or in plain words: what has too much to do says no more.
  @ParameterizedTest
  @CsvSource({"404, true", "404, false", "429, true", "429, false", "503, true"})
  void aRefusalIsNothingThatTheWorkerPrinted(int code, boolean form) throws Exception {
    AtomicInteger refusals = new AtomicInteger(4); // More than the client itself tries.
    Answer no = form ? refused(code, "not now") : new Answer(code, "not now\n");
    onWatch(_ ->
        refusals.getAndDecrement() > 0 ? no : new Answer(200, "2026-01-01T00:00:01Z a line\n"));
    overAfter(1);

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line");
    assertThat(heard.notes).isEmpty();
  }

  @Test
  void aLogWhoseServerHasTooMuchToDoIsMissing() {
    onWatch(_ -> new Answer(429, "Too many requests, please try again later.\n"));
    world.over.countDown();

    assertThatThrownBy(() -> logs(Duration.ofMillis(100)).follow(world))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("not all logs could be read; one is missing");
    assertThat(heard.lines).isEmpty();
  }

  /// Packets to a machine that is gone vanish: nobody refuses anything, for long.
  @Test
  void aLogThatNobodyAnswersForIsMissing() {
    fake.on("GET", "/log", _ -> late(refused(500, "dial tcp: i/o timeout")));
    world.over.countDown();
    world.livesOn = true; // By what was heard of it last.

    assertThatThrownBy(() -> logs(Duration.ofMillis(100)).follow(world))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("not all logs could be read; one is missing")
        .hasMessageContaining("digits-worker-0");
    assertThat(heard.notes).isEmpty();
  }

  @Test
  void aLogThatDoesNotEndWithItsContainerIsMissingInPart() {
    onWatch(_ ->
        new Answer(
            200,
            "2026-01-01T00:00:01Z a line\n",
            Optional.of(new Slowly(1, Duration.ofSeconds(50), () -> {}))));
    overAfter(1);

    assertThatThrownBy(() -> logs(Duration.ofMillis(100)).follow(world))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("not all logs could be read; one is missing");
    assertThat(heard.lines).containsExactly("a line");
    assertThat(heard.notes).isEmpty();
  }

  /// A machine says nothing at all to a watch before there is something to read.
  @Test
  void aPodThatNeverPrintedAnythingIsSilentAndNotMissing() throws Exception {
    world.livesOn = true;
    onWatch(_ -> {
      world.over.countDown();
      return late(new Answer(200, ""));
    });

    logs(Duration.ofMillis(100)).follow(world);

    assertThat(heard.notes)
        .singleElement()
        .asString()
        .startsWith("the pod digits-worker-0 has not ended with its job, and has printed nothing");
  }

  /// Where a machine dies, its server ends the log as if that were its end.
  @Test
  void aLineThatTheMachineDiedInComesAsAWhole() throws Exception {
    onWatches(log(A_LINE + "2026-01-01T00:00:02Z the la"), log(A_LINE + LAST_LINE + "\n"));
    overAfter(2);

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line", "the last line");
  }

  @Test
  void aLogThatWasCutAfterItsContainerHadEndedIsReadToItsEnd() throws Exception {
    world.over.countDown();
    AtomicInteger calls =
        onWatches(
            log(A_LINE),
            log(A_LINE + "2026-01-01T00:00:02Z the la"),
            log(A_LINE + "2026-01-01T00:00:02Z the last li"),
            log(A_LINE + LAST_LINE + "\n"));

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line", "the last line");
    assertThat(calls).hasValue(5);
  }

  /// Its beginning was shown before the connection ended.
  @Test
  void aLongLineGoesOnWhereItWas() throws Exception {
    String text = "a €𝄞 long line ".repeat(20_000);
    String line = "2026-01-01T00:00:02Z " + text + "\n";
    world.over.countDown();
    onWatches(
        log(A_LINE + line.substring(0, 150_000)),
        log(A_LINE + line.substring(0, 20)),
        log(A_LINE + line.substring(0, 200_000)),
        log(A_LINE + line));

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line", text);
  }

  @Test
  void aLastLineWithoutEndIsShownOnce() throws Exception {
    world.over.countDown();
    AtomicInteger calls = onWatches(log(A_LINE + LAST_LINE));

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line", "the last line");
    assertThat(calls).hasValue(2);
  }

  @Test
  void aLastLineWithoutEndIsShownThoughItsPodHasGone() throws Exception {
    world.over.countDown();
    onWatches(log(A_LINE + LAST_LINE), refused(404, "pods \"digits-worker-0\" not found"));

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly("a line", "the last line");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"unable to retrieve container logs for containerd://c", "a line without a time\n"})
  void whatBearsNoTimeIsShownOnce(String text) throws Exception {
    world.over.countDown();
    onWatches(log(text));

    logs(LONG).follow(world);

    assertThat(heard.lines).containsExactly(text.strip());
  }

  /// The rest takes longer than the silence that is waited for.
  @Test
  void hearsAPodThatStillPrintsToItsEnd() throws Exception {
    world.over.countDown();
    world.livesOn = true;
    Duration rest = Duration.ofSeconds(4);
    Slowly slowly = new Slowly(10, rest.dividedBy(8), () -> world.livesOn = false);
    onWatch(_ -> new Answer(200, "", Optional.of(slowly))); // Nothing is left of it the next time.

    logs(rest).follow(world);

    assertThat(heard.lines).hasSize(10);
    assertThat(heard.notes).isEmpty();
  }

  @Test
  void givesUpAPodThatOutlivesItsJobInSilenceAndSaysSo() throws Exception {
    world.livesOn = true;
    CountDownLatch never = new CountDownLatch(1);
    onWatch(_ ->
        new Answer(
            200,
            "2026-01-01T00:00:01Z a line\n",
            Optional.of(new Slowly(1, Duration.ofSeconds(50), never::countDown))));
    overAfter(1);

    logs(Duration.ofSeconds(1)).follow(world);

    assertThat(heard.lines).containsExactly("a line");
    assertThat(heard.notes)
        .singleElement()
        .asString()
        .startsWith("the pod digits-worker-0 has not ended with its job, and has printed nothing");
  }

  /// So many lines, with a pause before each.
  private static final class Slowly extends InputStream {
    private final int count;
    private final Duration pause;
    private final Runnable atEnd;
    private int line;

    Slowly(int count, Duration pause, Runnable atEnd) {
      this.count = count;
      this.pause = pause;
      this.atEnd = atEnd;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
      if (line == count) {
        atEnd.run();
        return -1;
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      byte[] bytes =
          "2026-01-01T00:00:%02dZ line\n".formatted(line++).getBytes(StandardCharsets.UTF_8);
      System.arraycopy(bytes, 0, buffer, from, bytes.length);
      return bytes.length;
    }
  }
}

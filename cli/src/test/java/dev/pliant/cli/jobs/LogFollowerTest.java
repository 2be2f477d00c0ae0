package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogFollowerTest {
  private static final String W = "worker-0";

  @TempDir Path logs;
  private final Heard heard = new Heard();

  /// What came of it.
  private static final class Heard implements LogFollower.Sink {
    private final List<String> lines = new ArrayList<>();
    private long leftOut;

    @Override
    public void piece(String name, LinePiece piece) {
      if (piece.begins()) {
        lines.add(name + ": " + piece.text());
      } else {
        lines.add(lines.removeLast() + piece.text());
      }
    }

    @Override
    public void leftOut(String name, long bytes) {
      leftOut += bytes;
    }
  }

  @Test
  void readsALogAsItGrows() throws IOException {
    try (LogFollower follower = new LogFollower(logs)) {
      assertThat(follower.read(W, heard)).isFalse();
      print("one\ntw");
      assertThat(follower.read(W, heard)).isTrue();
      assertThat(heard.lines).containsExactly("worker-0: one");
      print("o\nthree");
      readAll(follower);
      follower.finish(heard);
      assertThat(heard.lines).containsExactly("worker-0: one", "worker-0: two", "worker-0: three");
    }
  }

  @Test
  void goesOnWithTheNewLogWhenOneWasSetAside() throws IOException {
    try (LogFollower follower = new LogFollower(logs)) {
      print("one\n");
      readAll(follower);
      print("two\n");
      Files.move(logs.resolve("worker-0.log"), logs.resolve("worker-0.log.1"));
      print("three\n");
      readAll(follower);
      assertThat(heard.lines).containsExactly("worker-0: one", "worker-0: two", "worker-0: three");
    }
  }

  @Test
  void leavesOutWhatNobodyCouldReadAndSaysHowMuch() throws IOException {
    try (LogFollower follower = new LogFollower(logs, 1 << 20)) {
      print("x".repeat(99) + "\n");
      readAll(follower);
      print(("y".repeat(99) + "\n").repeat(20_000));
      readAll(follower);
      long lines = LogFollower.MAX_BYTES_AT_ONCE / 100;
      assertThat(heard.leftOut).isEqualTo(2_000_000 - LogFollower.MAX_BYTES_AT_ONCE);
      assertThat(heard.lines).hasSizeBetween((int) lines, (int) lines + 2);
    }
  }

  @Test
  void showsALongLineBeforeItEnds() throws IOException {
    String begun = "z".repeat(LineCutter.MAX_PIECE_BYTES);
    try (LogFollower follower = new LogFollower(logs)) {
      print(begun + "yy");
      readAll(follower);
      assertThat(heard.lines).containsExactly("worker-0: " + begun);
      print("y");
      readAll(follower);
      follower.finish(heard);
      assertThat(heard.lines).containsExactly("worker-0: " + begun + "yyy");
    }
  }

  @Test
  void beginsWithTheLastLines() throws IOException {
    try (LogFollower follower = new LogFollower(logs)) {
      print("a\nb\nc\n");
      follower.last(W, 2, heard);
      print("d\n");
      readAll(follower);
      assertThat(heard.lines).containsExactly("worker-0: b", "worker-0: c", "worker-0: d");
    }
  }

  @Test
  void theLastLinesAreWholeHoweverLong() throws IOException {
    String line = "z".repeat(5 * LineCutter.MAX_PIECE_BYTES);
    try (LogFollower follower = new LogFollower(logs)) {
      print("a\n" + line + "\nb\n" + line);
      follower.last(W, 3, heard);
      follower.finish(heard);
      assertThat(heard.lines)
          .containsExactly("worker-0: " + line, "worker-0: b", "worker-0: " + line);
    }
  }

  @Test
  void ofALineThatIsLongerThanAnybodyReadsTheEndIsLast() throws IOException {
    long kept = (long) LastLines.MAX_PIECES * LineCutter.MAX_PIECE_BYTES;
    try (LogFollower follower = new LogFollower(logs, Long.MAX_VALUE)) {
      print("x".repeat(3 * LineCutter.MAX_PIECE_BYTES) + "z".repeat((int) kept) + "\n");
      follower.last(W, 1, heard);
      assertThat(heard.leftOut).isEqualTo(3L * LineCutter.MAX_PIECE_BYTES);
      assertThat(heard.lines).containsExactly("worker-0: " + "z".repeat((int) kept));
    }
  }

  @Test
  void noLastLinesAreNone() throws IOException {
    try (LogFollower follower = new LogFollower(logs)) {
      print("a\n" + "z".repeat(2 * LineCutter.MAX_PIECE_BYTES) + "\n");
      follower.last(W, 0, heard);
      assertThat(heard.lines).isEmpty();
    }
  }

  @Test
  void tellsWorkersLogsFromOthersInTheirOrder() throws IOException {
    for (String name : List.of("worker-10", "worker-2", "worker-2-1", "master", "worker-2.agent")) {
      Files.createFile(logs.resolve(name + ".log"));
    }
    Files.createFile(logs.resolve("worker-2.log.1"));

    assertThat(LogFiles.workers(logs)).containsExactly("worker-2", "worker-2-1", "worker-10");
    assertThat(LogFiles.all(logs)).hasSize(5).contains("master", "worker-2.agent");
  }

  private void print(String text) throws IOException {
    Files.writeString(
        logs.resolve("worker-0.log"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void readAll(LogFollower follower) throws IOException {
    while (follower.read(W, heard)) {
      // To the end.
    }
  }
}

package dev.pliant.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// When each step of a training was complete, as rank 0 of each group wrote it down: the same for
/// every side, so that nobody's own word on its pauses is taken.
record TrainingTrace(Path folder) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration SELDOM = Duration.ofMillis(500);

  /// A step that is complete.
  ///
  /// @param at seconds since 1970
  /// @param group which group trained it; a changed one is another
  /// @param size how many members the group has
  record Step(double at, long number, String group, int size) {}

  /// What a change of the group cost.
  ///
  /// @param seconds from the last step of the group before to the first one of the group after
  /// @param stepsLost how many of the steps that were complete had to be trained again
  record Pause(double seconds, long stepsLost) {}

  /// Every step so far, in the order of time. A line that is being written is left for later.
  List<Step> steps() throws IOException {
    var steps = new ArrayList<Step>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String text = Files.readString(file);
        text.substring(0, text.lastIndexOf('\n') + 1)
            .lines()
            .map(TrainingTrace::step)
            .forEach(steps::add);
      }
    }
    steps.sort(Comparator.comparingDouble(Step::at));
    return steps;
  }

  private static Step step(String line) {
    try {
      JsonNode node = JSON.readTree(line);
      return new Step(
          node.get("at").asDouble(),
          node.get("step").asLong(),
          node.get("group").asText(),
          node.get("size").asInt());
    } catch (IOException e) {
      throw new IllegalStateException("a trace with a line that is none: " + line, e);
    }
  }

  /// Waits until a step like that is complete.
  void await(String what, Predicate<Step> step, Duration timeout, Child alive)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (steps().stream().noneMatch(step)) {
      alive.checkAlive();
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("%s did not happen within %d s".formatted(what, timeout.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
  }

  /// Waits until so many steps are complete, and takes next to nothing of the machine meanwhile.
  void awaitNumber(long number, Duration timeout, Child alive)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (newest().filter(step -> step.number() >= number).isEmpty()) {
      alive.checkAlive();
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "step %d was not complete within %d s".formatted(number, timeout.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(SELDOM.toMillis());
    }
  }

  /// The last step of the file that was written to last.
  private Optional<Step> newest() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      Optional<Path> file =
          files.max(Comparator.comparingLong(each -> each.toFile().lastModified()));
      return file.isEmpty() ? Optional.empty() : lastStep(file.get());
    }
  }

  private static Optional<Step> lastStep(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer end = ByteBuffer.allocate(1_024);
      int _ = channel.read(end, Math.max(0, channel.size() - end.capacity()));
      String[] lines = (new String(end.array(), 0, end.position(), US_ASCII) + ".").split("\n");
      // The last is being written, and the first may have no beginning.
      return lines.length < 3 ? Optional.empty() : Optional.of(step(lines[lines.length - 2]));
    }
  }

  /// What the change at a moment cost, once the group after it has completed a step.
  Optional<Pause> pause(double at) throws IOException {
    List<Step> steps = steps();
    Optional<Step> before =
        steps.stream().filter(step -> step.at() <= at).reduce((_, last) -> last);
    if (before.isEmpty()) {
      return Optional.empty();
    }
    String group = before.get().group();
    Step last = steps.stream().filter(step -> step.group().equals(group)).reduce((_, s) -> s).get();
    return steps.stream()
        .filter(step -> step.at() > last.at() && !step.group().equals(group))
        .findFirst()
        .map(first ->
            new Pause(first.at() - last.at(), Math.max(0, last.number() + 1 - first.number())));
  }

  Pause awaitPause(double at, Duration timeout, Child alive)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    Optional<Pause> pause = pause(at);
    while (pause.isEmpty()) {
      alive.checkAlive();
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "no step after the change within %d s".formatted(timeout.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
      pause = pause(at);
    }
    return pause.get();
  }

  /// Steps a second over the last so many of them.
  double rate(int last) throws IOException {
    List<Step> steps = steps();
    List<Step> taken = steps.subList(Math.max(0, steps.size() - last), steps.size());
    return (taken.size() - 1) / (taken.getLast().at() - taken.getFirst().at());
  }

  static double now() {
    return System.currentTimeMillis() / 1000.0;
  }
}

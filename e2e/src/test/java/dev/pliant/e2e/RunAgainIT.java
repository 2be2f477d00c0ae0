package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The same training again and again on one checkpoint path: each run trains what it says it has
/// trained, and finds and removes no checkpoint but its own.
class RunAgainIT {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final String ONCE = "every record of every epoch was completed exactly once";
  private static final String RECORDS = "4,491 of 4,491 records";

  @TempDir Path state;
  private Path file;
  private Path checkpoints;

  @BeforeEach
  void writeJob() throws IOException {
    Needs.that(Pythons.withTorch().isPresent(), "a Python with PyTorch");
    checkpoints = state.resolve("checkpoints");
    Path digits = FreshTree.built().path().resolve("examples/digits");
    file = state.resolve("job.yaml");
    Files.writeString(
        file,
        Files.readString(digits.resolve("job.yaml"))
            .replace("path: checkpoints", "path: " + checkpoints)
            .replace("every: 200", "every: 20")
            .replace(
                "[python3, train.py]", "[python3, train.py]\n              workingDir: " + digits));
  }

  private TrainingRun start(String name, Map<String, String> environment, String... options)
      throws IOException {
    String[] arguments =
        Stream.concat(Stream.of(options), Stream.of(file.toString())).toArray(String[]::new);
    return TrainingRun.start(state, name, environment, arguments);
  }

  private String run(String name, String... options) throws Exception {
    try (TrainingRun run = start(name, Map.of("DIGITS_EPOCHS", "3"), options)) {
      assertThat(run.awaitExit(BOUND)).as(run.output()).isZero();
      return run.output();
    }
  }

  /// The checkpoints of each run of a job.
  private Map<String, List<String>> kept(String name) throws IOException {
    Map<String, List<String>> kept = new java.util.TreeMap<>();
    try (Stream<Path> runs = Files.list(checkpoints.resolve("default").resolve(name))) {
      for (Path run : runs.toList()) {
        try (Stream<Path> found = Files.list(run)) {
          kept.put(
              run.getFileName().toString(),
              found.map(path -> path.getFileName().toString()).sorted().toList());
        }
      }
    }
    return kept;
  }

  @Test
  void anotherRunTrainsAgainOrStartsFromWhatItIsTold() throws Exception {
    assertThat(run("again")).contains(ONCE, RECORDS).doesNotContain("An earlier run left");
    Map<String, List<String>> first = kept("again");
    assertThat(first).hasSize(1);

    assertThat(run("again", "--replace"))
        .contains(ONCE, RECORDS)
        .contains("An earlier run left 3 checkpoints", "--from-checkpoint latest");
    assertThat(kept("again")).hasSize(2).containsAllEntriesOf(first);

    assertThat(run("again", "--replace", "--from-checkpoint", "latest"))
        .contains(ONCE, RECORDS)
        .contains("Training starts with model and optimizer of " + checkpoints);
    assertThat(kept("again")).hasSize(3).containsAllEntriesOf(first);

    String uid = first.keySet().iterator().next();
    String whole = checkpoints.resolve("default/again").resolve(uid).toString();
    assertThat(run("again", "--replace", "--from-checkpoint", whole, "--with-data-position"))
        .contains("4,491 more records were taken over from a checkpoint")
        .doesNotContain(ONCE);
  }

  @Test
  void aRunThatIsResumedIsTheSameRunAndItsNeighbourIsLeftAlone() throws Exception {
    PacedDigits pace = PacedDigits.in(state.resolve("told"));
    try (TrainingRun stopped = start("left", pace.environment(0.2, 3));
        TrainingRun neighbour = start("right", pace.environment(0.2, 3))) {
      stopped.awaitProgress(0, 1_600, BOUND, "its start");
      stopped.pliant("stop", "left").orThrow("pliant stop");
      assertThat(stopped.awaitExit(BOUND)).isNotZero();
      pace.hurry();
      assertThat(neighbour.awaitExit(BOUND)).as(neighbour.output()).isZero();
      assertThat(neighbour.output()).contains(ONCE, RECORDS);
    }
    Map<String, List<String>> before = kept("left");
    assertThat(run("left", "--resume")).contains(ONCE);
    assertThat(kept("left")).hasSize(1).containsOnlyKeys(before.keySet());
    assertThat(kept("right")).hasSize(1);
  }
}

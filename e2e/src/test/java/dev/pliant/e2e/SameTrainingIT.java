package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A training whose size changes on the way trains what one of a fixed size trains: the same
/// records in every step, to the same loss.
class SameTrainingIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofMinutes(5);

  @TempDir Path state;

  /// What one step trained on, by all of its workers, and how many they were.
  private record Step(int size, List<Integer> records, double loss) {}

  @Test
  void trainsTheSameGlobalBatchesFromOneToFourToTwoWorkersAsWithTwo() throws Exception {
    Needs.that(Pythons.withTorch().isPresent(), "a Python with torch");
    TreeMap<Integer, Step> fixed = train("fixed", 2, _ -> {});
    TreeMap<Integer, Step> changing =
        train(
            "changing",
            1,
            run -> {
              awaitStep(run, "changing", step -> step.size() == 1);
              run.scale(4);
              awaitStep(run, "changing", step -> step.size() == 4);
              run.scale(2);
              awaitStep(run, "changing", step -> step.size() == 2);
            });

    assertThat(changing.values().stream().map(Step::size).distinct()).contains(1, 4, 2);
    assertThat(changing.keySet()).isEqualTo(fixed.keySet());
    assertThat(records(changing)).isEqualTo(records(fixed));
    double loss = finalLoss("fixed");
    assertThat(finalLoss("changing")).isCloseTo(loss, within(loss / 100));
  }

  /// The records of each step, in the order of the steps.
  private static List<List<Integer>> records(TreeMap<Integer, Step> steps) {
    return steps.values().stream().map(Step::records).toList();
  }

  private TreeMap<Integer, Step> train(String name, int workers, Consumer<TrainingRun> disturb)
      throws Exception {
    Path trace = Files.createDirectories(state.resolve(name + "-trace"));
    try (TrainingRun run =
        TrainingRun.start(
            state, name, Map.of("TRACE", trace.toString()), jobFile(workers).toString())) {
      disturb.accept(run);
      Files.createFile(trace.resolve("hurry"));
      assertThat(run.awaitExit(BOUND)).as(run.tail()).isZero();
      assertThat(run.output()).contains("exactly once");
    }
    return steps(name);
  }

  private Path jobFile(int workers) throws IOException {
    return Files.writeString(
        state.resolve("job.yaml"),
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata:
          name: same-training
        spec:
          distributionStrategy: AllreduceStrategy
          replicaSpecs:
            worker:
              replicas: %d
              minReplicas: 1
              maxReplicas: 4
              template:
                spec:
                  containers:
                    - name: main
                      command: [python3, "%s"]
        """
            .formatted(workers, Commands.root().resolve("e2e/src/test/python/same_training.py")));
  }

  private void awaitStep(TrainingRun run, String name, Predicate<Step> wanted) {
    Awaitility.await("a step of another size")
        .atMost(BOUND)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> !run.isAlive() || steps(name).values().stream().anyMatch(wanted));
  }

  private TreeMap<Integer, Step> steps(String name) throws IOException {
    var steps = new TreeMap<Integer, Step>();
    try (Stream<Path> files = Files.list(state.resolve(name + "-trace"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".jsonl")).toList()) {
        String text = Files.readString(file);
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
          JsonNode node = JSON.readTree(line);
          var records = new ArrayList<Integer>();
          node.get("records").forEach(record -> records.add(record.asInt()));
          records.sort(null);
          steps.merge(
              node.get("step").asInt(),
              new Step(node.get("size").asInt(), records, node.get("loss").asDouble()),
              SameTrainingIT::together);
        }
      }
    }
    return steps;
  }

  private static Step together(Step one, Step other) {
    var records = new ArrayList<>(one.records());
    records.addAll(other.records());
    records.sort(null);
    return new Step(one.size(), records, one.loss());
  }

  private double finalLoss(String name) throws IOException {
    return JSON.readTree(state.resolve(name + "-trace/final.json").toFile()).get("loss").asDouble();
  }
}

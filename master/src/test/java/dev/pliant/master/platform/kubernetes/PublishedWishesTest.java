package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.JobResource;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.JobOrders;
import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.nodes.NodeDecision;
import dev.pliant.machine.nodes.NodeTable;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.nodes.WishOrders;
import dev.pliant.machine.nodes.WorkerManager;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What others published as a job and what is wished of it is done as it stands. It is not part of
/// this project: the test looks for it in a folder `shared` beside its tree, and is skipped where
/// there is none.
class PublishedWishesTest {
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

  private static final Path SEED =
      Path.of("..", "..", "shared", "seeds", "004_ca3c6967f587e7d3.txt").toAbsolutePath();

  private final NodeTable table = new NodeTable();
  private long now = 1_000_000;

  /// Before each: a class that is given up before its first test is reported by nobody.
  @BeforeEach
  void lookForIt() {
    assumeThat(SEED).as("what others published, beside the tree").exists();
  }

  @Test
  void theJobResourceOfEasyDlIsTakenForItsElasticJob() throws IOException {
    JobPlan plan = JobPlans.of(JobFile.parse("seed 004", document("ElasticJob")), "uid", 2);
    apply(JobOrders.define(table, plan));
    assertThat(staying()).containsExactly("ps-0", "worker-0");

    WishOrders.Outcome outcome = WishOrders.take(table, wish(plan, 1));
    apply(outcome.decisions());

    assertThat(outcome.taken().done()).as(outcome.taken().message()).isTrue();
    assertThat(outcome.taken().message())
        .contains("this job has no role 'evaluator', which is left out");
    assertThat(staying())
        .containsExactlyInAnyOrder(
            "ps-1", "ps-2", "ps-3", "ps-4", "worker-0", "worker-1", "worker-2", "worker-3");
    assertThat(node("ps", 1).resources()).isEqualTo(new NodeResources(16, 8_192, 1, 8_192));
    assertThat(node("ps", 2).replaces()).isEqualTo(new NodeId("ps", 0));
    assertThat(node("ps", 2).resources().cpu()).isEqualTo(8);
    assertThat(node("ps", 3).resources()).isEqualTo(new NodeResources(4, 4_096, 1, 8_192));

    WishOrders.Outcome edited = WishOrders.take(table, wish(plan, 2));
    assertThat(edited.taken().message())
        .isEqualTo(
            "all is so already; this job has no role 'evaluator', which is left out; ps-0 is gone, as was wished before; ps-1 is of that size already");
  }

  private Wish wish(JobPlan plan, long generation) throws IOException {
    JobResource resource = Serialization.unmarshal(document("JobResource"), JobResource.class);
    resource.getMetadata().setUid("u");
    resource.getMetadata().setGeneration(generation);
    WishReader reader = new WishReader(new JobNames(plan.job()));
    assertThat(reader.isWish(resource)).isTrue();
    return reader.read(resource);
  }

  private static String document(String kind) throws IOException {
    Matcher yaml = YAML.matcher(Files.readString(SEED));
    while (yaml.find()) {
      if (yaml.group(1).contains("kind: \"" + kind + "\"")) {
        return yaml.group(1);
      }
    }
    throw new AssertionError("the seed has no " + kind);
  }

  private void apply(List<NodeDecision> decided) {
    List<NodeDecision> next = decided;
    while (!next.isEmpty()) {
      for (NodeDecision decision : next) {
        decision.events().forEach(event -> table.apply(event, now));
      }
      next = WorkerManager.next(table, now);
    }
  }

  private List<String> staying() {
    return table.nodes().stream().filter(Node::staying).map(n -> n.id().toString()).toList();
  }

  private Node node(String role, int number) {
    return Objects.requireNonNull(table.node(new NodeId(role, number)));
  }
}

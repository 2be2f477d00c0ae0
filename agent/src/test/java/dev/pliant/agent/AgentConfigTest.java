package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.rpc.MasterLocation;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentConfigTest {
  private static final Path HERE = Path.of("x");

  private static AgentConfig config(String node, Path socket, int leaseAhead) {
    return new AgentConfig(
        new JobId("a", "b"),
        node,
        new MasterLocation.MasterFile(HERE),
        socket,
        leaseAhead,
        Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "..", "ü"})
  void nodeHasANameThatAFileCanHave(String node) {
    if (node.isEmpty()) {
      assertThatThrownBy(() -> config(node, HERE, 8)).isInstanceOf(PliantException.class);
    } else {
      assertThatThrownBy(() -> config(node, HERE, 8))
          .isInstanceOf(PliantException.class)
          .hasMessageContaining(node);
    }
  }

  @Test
  void socketMustFitIntoItsAddress() {
    assertThatThrownBy(() -> config("n", Path.of("/" + "x".repeat(107)), 8))
        .hasMessageContaining("108 bytes, at most 107");
    assertThat(config("n", Path.of("run/s"), 8).socket()).isAbsolute();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1_025})
  void leasesAheadAreBounded(int leaseAhead) {
    assertThatThrownBy(() -> config("n", HERE, leaseAhead)).hasMessageContaining("0 to 1024");
  }

  @Test
  void workersHaveACountACommandAndNames() {
    TestWorkers some = TestWorkers.of(HERE, "x");
    assertThatThrownBy(() -> some.count(0).workers()).hasMessageContaining("0 workers");
    assertThatThrownBy(() -> TestWorkers.of(HERE).workers())
        .hasMessageContaining("command is empty");
    assertThatThrownBy(() -> some.environment(Map.of("A=B", "c")).workers())
        .hasMessageContaining("'A=B'");
  }

  @Test
  void oneWorkerIsCalledAsItsNodeAndSeveralByTheirNumber() {
    TestWorkers some = TestWorkers.of(HERE, "x");
    assertThat(some.workers().names("worker-3")).containsExactly(new WorkerId("worker-3"));
    assertThat(some.count(2).workers().names("worker-3"))
        .containsExactly(new WorkerId("worker-3-0"), new WorkerId("worker-3-1"));
  }
}

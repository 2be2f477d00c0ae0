package dev.pliant.agent.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.agent.TestWorkers;
import dev.pliant.agent.world.Placement;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProcessEnvironmentTest {
  private static final WorkerId WORKER = new WorkerId("worker-0-1");

  private static Map<String, String> of(
      TestWorkers workers, Map<String, String> inherited, int index, Optional<Placement> where) {
    return new ProcessEnvironment(
            new JobId("ns", "job"), Path.of("/s"), workers.workers(), inherited)
        .of(WORKER, index, where);
  }

  @Test
  void aProcessFindsItsAgent() {
    assertThat(of(TestWorkers.of(Path.of("/f"), "x"), Map.of("HOME", "/h"), 0, Optional.empty()))
        .containsEntry("HOME", "/h")
        .containsEntry("PLIANT_SOCKET", "/s")
        .containsEntry("PLIANT_WORKER", "worker-0-1")
        .containsEntry("PLIANT_JOB", "ns/job")
        .containsEntry("PLIANT_HOST", "127.0.0.1")
        .containsEntry("PLIANT_MAX_WORKERS", "8")
        .containsEntry("GLOO_SOCKET_IFNAME", "lo")
        .containsEntry("PYTHONPATH", "/f/python")
        .containsEntry("PYTHONUNBUFFERED", "1")
        .doesNotContainKeys("OMP_NUM_THREADS", "RANK", "CUDA_VISIBLE_DEVICES");
  }

  @Test
  void whatTheUserHasSetStays() {
    Map<String, String> own =
        Map.of("GLOO_SOCKET_IFNAME", "eth0", "OMP_NUM_THREADS", "4", "PYTHONUNBUFFERED", "");
    assertThat(
            of(
                TestWorkers.of(Path.of("/f"), "x").count(2).environment(own),
                Map.of(),
                0,
                Optional.empty()))
        .containsAllEntriesOf(own);
    assertThat(of(TestWorkers.of(Path.of("/f"), "x").count(2), Map.of(), 0, Optional.empty()))
        .containsEntry("OMP_NUM_THREADS", "1");
  }

  @Test
  void whatIsForTheAgentAloneIsNotPassedOn() {
    Map<String, String> agents =
        Map.of("MALLOC_ARENA_MAX", "1", "PLIANT_AGENT_ONLY", "MALLOC_ARENA_MAX", "HOME", "/h");
    assertThat(of(TestWorkers.of(Path.of("/f"), "x"), agents, 0, Optional.empty()))
        .containsEntry("HOME", "/h")
        .doesNotContainKeys("MALLOC_ARENA_MAX", "PLIANT_AGENT_ONLY");
    assertThat(
            of(
                TestWorkers.of(Path.of("/f"), "x"),
                Map.of("MALLOC_ARENA_MAX", "1"),
                0,
                Optional.empty()))
        .containsEntry("MALLOC_ARENA_MAX", "1");
  }

  @Test
  void placedProcessesGetWhatTorchrunSets() {
    Placement placement = new Placement(4, 3, 6, 1, 2, 1, 3, "10.0.0.1:29500", 8);
    assertThat(of(TestWorkers.of(Path.of("/f"), "x").count(2), Map.of(), 1, Optional.of(placement)))
        .containsAllEntriesOf(
            Map.of(
                "RANK", "3",
                "WORLD_SIZE", "6",
                "LOCAL_RANK", "1",
                "LOCAL_WORLD_SIZE", "2",
                "GROUP_RANK", "1",
                "GROUP_WORLD_SIZE", "3",
                "MASTER_ADDR", "10.0.0.1",
                "MASTER_PORT", "29500",
                "ROLE_RANK", "3",
                "ROLE_NAME", "worker"))
        .containsEntry("ROLE_WORLD_SIZE", "6")
        .containsEntry("TORCHELASTIC_RESTART_COUNT", "1")
        .containsEntry("TORCHELASTIC_MAX_RESTARTS", "3")
        .containsEntry("TORCHELASTIC_RUN_ID", "ns/job")
        .containsEntry("TORCHELASTIC_USE_AGENT_STORE", "False");
  }

  @Test
  void devicesAreSharedOutEvenly() {
    TestWorkers two = TestWorkers.of(Path.of("/f"), "x").count(2);
    Map<String, String> four = Map.of("CUDA_VISIBLE_DEVICES", "4,5,6,7");
    assertThat(of(two, four, 1, Optional.empty())).containsEntry("CUDA_VISIBLE_DEVICES", "6,7");
    Map<String, String> one = Map.of("CUDA_VISIBLE_DEVICES", "3");
    assertThat(of(two, one, 1, Optional.empty())).containsAllEntriesOf(one);
  }
}

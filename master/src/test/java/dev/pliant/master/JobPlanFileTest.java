package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobPlanFileTest {
  @TempDir Path folder;

  private static JobPlan plan(JobPlan.@Nullable Checkpointing checkpoint) {
    return plan(checkpoint, ResourceLimits.NONE);
  }

  private static JobPlan plan(JobPlan.@Nullable Checkpointing checkpoint, ResourceLimits limits) {
    return new JobPlan(
        new JobId("team", "digits"),
        7,
        Strategy.ALLREDUCE,
        Elasticity.IN_PROCESS,
        new JobPlan.Workers(2, 1, 4, 5, new NodeResources(1.5, 512, 0)),
        2,
        List.of("python3", "-u", "train.py"),
        Map.of("A", "1", "TOKEN", "secret"),
        "/work",
        checkpoint,
        "/opt/pliant/python",
        250,
        List.of(),
        limits,
        "u-1");
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (JobPlan plan :
        List.of(
            plan(null),
            plan(new JobPlan.Checkpointing("/checkpoints", 100, 3)),
            plan(new JobPlan.Checkpointing("/checkpoints", 100, 3, "latest", true)),
            plan(null, new ResourceLimits(2.5, null, 0L, 1L << 35)))) {
      JobPlanFile.write(folder, plan);
      assertThat(JobPlanFile.read(folder)).contains(plan);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(JobPlanFile.in(folder))))
        .isEqualTo("rw-------");
  }

  @Test
  void aFolderWithoutAPlanHasNone() throws IOException {
    assertThat(JobPlanFile.read(folder)).isEmpty();
  }

  @Test
  void whatIsLeftOutHasItsDefault() throws IOException {
    Files.writeString(
        JobPlanFile.in(folder),
        """
        {"job": "count", "strategy": "local", "elasticity": "none",
         "workers": {"wish": 1, "min": 1, "max": 1},
         "command": ["true"], "workingFolder": "/"}
        """);

    JobPlan plan = JobPlanFile.read(folder).orElseThrow();

    assertThat(plan.job()).isEqualTo(new JobId("default", "count"));
    assertThat(plan.run()).isZero();
    assertThat(plan.workers().restarts()).isEqualTo(3);
    assertThat(plan.workers().resources()).isEqualTo(NodeResources.UNBOUNDED);
    assertThat(plan.nprocPerNode()).isEqualTo(1);
    assertThat(plan.lastCallMillis()).isEqualTo(1_000);
  }

  @Test
  void whatIsWrongIsSaidWithItsPlace() throws IOException {
    for (List<String> bad :
        Stream.of(
                List.of("{", "is no JSON"),
                List.of("[]", "the plan is no object"),
                List.of("{\"jop\": 1}", "'jop' is not known; did you mean 'job'?"),
                List.of("{\"workers\": {\"wihs\": 1}}", "'workers.wihs' is not known"),
                List.of("{\"workers\": 3}", "'workers' is no object"),
                List.of("{\"workers\": {}}", "'job' is missing"),
                List.of("{\"workers\": {}, \"job\": 3}", "'job' is not a text"))
            .toList()) {
      Files.writeString(JobPlanFile.in(folder), bad.getFirst());
      assertThatThrownBy(() -> JobPlanFile.read(folder))
          .isInstanceOf(PliantException.class)
          .hasMessageContaining("job.json")
          .hasMessageContaining(bad.getLast());
    }
  }
}

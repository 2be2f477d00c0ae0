package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunPlanTest {
  @TempDir Path folder;

  @BeforeEach
  void makeAProgram() throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Path program = Files.createFile(bin.resolve("train"));
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void comesFromTheFile() throws IOException {
    Files.createDirectory(folder.resolve("src"));

    RunPlan plan =
        plan(
            """
            command: [train]
            args: [--fast]
            workingDir: src
            env: [{name: B, value: "of the container"}]
            """,
            null,
            null);

    assertThat(plan)
        .isEqualTo(
            new RunPlan(
                new JobId("default", "digits"),
                2,
                java.util.List.of("train", "--fast"),
                Map.of("A", "of the job", "B", "of the container"),
                folder.resolve("src")));
  }

  @Test
  void takesAnotherNameAndNumber() throws IOException {
    RunPlan plan = plan("command: [train]", "other", 4);

    assertThat(plan.job()).isEqualTo(new JobId("default", "other"));
    assertThat(plan.workers()).isEqualTo(4);
    assertThat(plan.workingFolder()).isEqualTo(folder);
  }

  @Test
  void refusesWhatCannotRunHere() {
    refuses("image: x", null, null, "container 'main' has no command;");
    refuses(
        "command: [nowhere]", null, null, "the workers' command 'nowhere' is not on the PATH (");
    refuses("command: [./nowhere]", null, null, "'./nowhere' is not there or not executable.");
    refuses(
        "command: [train]\nworkingDir: nowhere", null, null, "workingDir 'nowhere' is no folder");
    refuses("command: [train]", null, 5, "--workers is 5; this job takes from 1 to 4.");
    refuses("command: [train]", null, 0, "--workers is 0; this job takes from 1 to 4.");
    refuses(
        "command: [train]\nenv: [{name: HOST, valueFrom: {fieldRef: {fieldPath: x}}}]",
        null,
        null,
        "variable 'HOST' takes its value from a cluster");
  }

  @Test
  void refusesAWrongName() {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> plan("command: [train]", "a/b", null))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_NAME));
  }

  private void refuses(
      String container, @Nullable String name, @Nullable Integer workers, String want) {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> plan(container, name, workers))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_JOB_FILE))
        .withMessageContaining(want);
  }

  private RunPlan plan(String container, @Nullable String name, @Nullable Integer workers)
      throws IOException {
    Path file = folder.resolve("job.yaml");
    Files.writeString(
        file,
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits}
        spec:
          envs: {A: of the job, B: of the job}
          replicaSpecs:
            worker:
              replicas: 2
              maxReplicas: 4
              template:
                spec:
                  containers:
                    - name: main
        """
            + container.indent(14));
    return RunPlan.of(file, name, workers, Map.of("PATH", folder.resolve("bin").toString()));
  }
}

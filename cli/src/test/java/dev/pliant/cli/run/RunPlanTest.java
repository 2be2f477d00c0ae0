package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.python.Imports;
import dev.pliant.cli.run.RunRequest.Target;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class RunPlanTest {
  private static final Path PACKAGE = Path.of("/pliant/python");

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
            resources: {limits: {cpu: 500m, memory: 1Gi}}
            """);

    assertThat(plan.job())
        .isEqualTo(
            new JobPlan(
                new JobId("default", "digits"),
                0,
                Strategy.LOCAL,
                Elasticity.NONE,
                new JobPlan.Workers(2, 1, 4, 3, new NodeResources(0.5, 1_024, 0)),
                1,
                List.of("train", "--fast"),
                Map.of("A", "of the job", "B", "of the container"),
                folder.resolve("src").toString(),
                null,
                PACKAGE.toString(),
                1_000,
                List.of()));
    assertThat(plan.named()).isTrue();
    assertThat(plan.notes()).isEmpty();
  }

  @Test
  void takesWhatTheCommandLineSays() throws IOException {
    RunRequest request =
        new RunRequest(
            new Target.JobYaml(file("command: [train]", "")),
            "other",
            WorkerRange.parse("--workers", "2:3"),
            2,
            7,
            null,
            Map.of("B", "of the command line"),
            Path.of("/logs"),
            250,
            null);

    RunPlan plan = plan(request);

    assertThat(plan.job().job()).isEqualTo(new JobId("default", "other"));
    assertThat(plan.job().workers())
        .isEqualTo(new JobPlan.Workers(3, 2, 3, 7, NodeResources.UNBOUNDED));
    assertThat(plan.job().nprocPerNode()).isEqualTo(2);
    assertThat(plan.job().environment()).containsEntry("B", "of the command line");
    assertThat(plan.job().lastCallMillis()).isEqualTo(250);
    assertThat(plan.logFolder()).isEqualTo(Path.of("/logs"));
  }

  @Test
  void saysOnceWhatHasNoEffectHere() throws IOException {
    Path file =
        file(
            "command: [train]\nimage: x",
            "  optimizeMode: single-job\n  ttl: 60\n  scaler: PodScaler\n  cleanPodPolicy: All\n"
                + "  enableDynamicSharding: true\n");

    assertThat(plan(RunRequest.of(new Target.JobYaml(file))).notes())
        .containsExactly(
            "on this machine these have no effect: spec.optimizeMode, spec.scaler,"
                + " spec.cleanPodPolicy, spec.ttl, the container's image,"
                + " spec.enableDynamicSharding");
  }

  @Test
  void theJobsLimitsBoundItsWorkersAsOnACluster() throws IOException {
    Path file =
        file(
            "command: [train]\nresources: {limits: {cpu: 500m}}",
            "  optimizeMode: manual\n  resourceLimits: {cpu: 1500m}\n");

    RunPlan plan = plan(RunRequest.of(new Target.JobYaml(file)));

    assertThat(plan.job().workers())
        .isEqualTo(new JobPlan.Workers(2, 1, 3, 3, new NodeResources(0.5, 0, 0)));
    assertThat(plan.job().limits()).isEqualTo(new ResourceLimits(1.5, null, null, null));
    assertThat(plan.job(7, "u", Path.of("/state")).limits()).isEqualTo(plan.job().limits());
    assertThat(plan.notes()).isEmpty();
  }

  @Test
  void aJobThatIsReplacedLeavesItsCheckpoints() throws IOException {
    Path file = file("command: [train]", "  checkpoint: {path: models, from: old/run}\n");

    assertThat(plan(RunRequest.of(new Target.JobYaml(file))).kept(Path.of("/state/train")))
        .containsExactly(
            Path.of("/state/train/models/default/digits"), file.resolveSibling("old/run"));
  }

  @Test
  void putsCheckpointsIntoTheJobsFolder() throws IOException {
    Path file = file("command: [train]", "  checkpoint: {path: models, every: 5, keep: 2}\n");

    assertThat(
            plan(RunRequest.of(new Target.JobYaml(file)))
                .job(7, "u-1", Path.of("/state/jobs/default/train"))
                .checkpoint())
        .isEqualTo(new JobPlan.Checkpointing("/state/jobs/default/train/models", 5, 2));
  }

  static Stream<Arguments> scripts() {
    return Stream.of(
        arguments("no import", "print(1)", Elasticity.RESTART),
        arguments("plain torch", "import torch\nimport torch.distributed", Elasticity.RESTART),
        arguments("data of Pliant's", "import pliant\njob = pliant.init()", Elasticity.NONE),
        arguments(
            "the elastic loop",
            "from pliant.torch import Elastic\nelastic = Elastic(job)",
            Elasticity.IN_PROCESS));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("scripts")
  void tellsFromAScriptHowItTakesAChange(String name, String text, Elasticity want)
      throws IOException {
    Files.writeString(folder.resolve("My Net.py"), text);

    RunPlan plan = plan(RunRequest.of(new Target.Script("My Net.py", List.of("--lr", "1"))));

    assertThat(plan.job().elasticity()).isEqualTo(want);
    assertThat(plan.job().command()).containsExactly("python3", "-u", "My Net.py", "--lr", "1");
    assertThat(plan.job().job()).isEqualTo(new JobId("default", "my-net"));
    assertThat(plan.named()).isFalse();
    assertThat(plan.job().workers())
        .isEqualTo(
            new JobPlan.Workers(
                1, 1, want == Elasticity.IN_PROCESS ? 1 : 60, 3, NodeResources.UNBOUNDED));
  }

  @Test
  void runsModulesAndOtherPrograms() throws IOException {
    Files.createDirectory(folder.resolve("net"));
    Files.writeString(folder.resolve("net/train.py"), "import torch");

    RunPlan module = plan(RunRequest.of(new Target.Module("net.train", List.of("-x"))));
    RunPlan program = plan(RunRequest.of(new Target.Program("train", List.of())));

    assertThat(module.job().command()).containsExactly("python3", "-u", "-m", "net.train", "-x");
    assertThat(module.imports()).isEqualTo(new Imports(true, false, false));
    assertThat(module.job().job().name()).isEqualTo("train");
    assertThat(program.job().command()).containsExactly("train");
    assertThat(program.python()).isEmpty();
  }

  @Test
  void refusesWhatCannotRunHere() {
    refuses("image: x", "", "container 'main' has no command;");
    refuses("command: [nowhere]", "", "the workers' command 'nowhere' is not on the PATH (");
    refuses("command: [./nowhere]", "", "'./nowhere' is not there or not executable.");
    refuses("command: [python3, no.py]", "", "there is no script 'no.py' (it is looked for as ");
    refuses("command: [train]\nworkingDir: nowhere", "", "workingDir 'nowhere' is no folder");
    refuses(
        "command: [train]\nenv: [{name: HOST, valueFrom: {fieldRef: {fieldPath: x}}}]",
        "",
        "variable 'HOST' takes its value from a cluster");
    refuses(
        "command: [train]",
        "  distributionStrategy: ParameterServerStrategy\n",
        "the job trains with parameter servers");
    refuses(
        "command: [train]",
        "  evaluator: {template: {spec: {containers: [{name: e}]}}}\n",
        "the job has the role 'evaluator'");
    refuses("command: [train]", "  suspend: true\n", "the job is suspended");
    refuses(
        "command: [train]", "  checkpoint: {claim: c}\n", "spec.checkpoint.claim names a volume");
  }

  static Stream<Arguments> badNumbers() {
    return Stream.of(
        arguments("5", "--workers is 5; this job takes from 1 to 4."),
        arguments("0", "--workers is '0'; it must be from 1 to 10,000."),
        arguments("3:2", "--workers is '3:2': at least 3 is more than at most 2."),
        arguments("two", "--workers is 'two'; write N, or MIN:MAX."),
        arguments("1:2:3", "--workers is '1:2:3'; write N, or MIN:MAX."),
        arguments(":2", "--workers is ':2'; write N, or MIN:MAX."));
  }

  @ParameterizedTest(name = "--workers {0}")
  @MethodSource("badNumbers")
  void refusesNumbersThatMeanNothing(String workers, String want) {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() ->
            plan(
                new RunRequest(
                    new Target.JobYaml(file("command: [train]", "")),
                    null,
                    WorkerRange.parse("--workers", workers),
                    null,
                    null,
                    null,
                    Map.of(),
                    null,
                    null,
                    null)))
        .withMessage(want);
  }

  @Test
  void refusesAScriptThatIsNotThere() {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> plan(RunRequest.of(new Target.Script("absent.py", List.of()))))
        .withMessage(
            "there is no script 'absent.py' (it is looked for as %s)."
                .formatted(folder.resolve("absent.py")));
  }

  private void refuses(String container, String spec, String want) {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> plan(RunRequest.of(new Target.JobYaml(file(container, spec)))))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_JOB_FILE))
        .withMessageContaining(want);
  }

  private RunPlan plan(String container) throws IOException {
    return plan(RunRequest.of(new Target.JobYaml(file(container, ""))));
  }

  private RunPlan plan(RunRequest request) {
    return RunPlan.of(request, Map.of("PATH", folder.resolve("bin").toString()), folder, PACKAGE);
  }

  private Path file(String container, String spec) throws IOException {
    return Files.writeString(
        folder.resolve("job.yaml"),
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits}
        spec:
          envs: {A: of the job, B: of the job}
        """
            + spec
            + "  replicaSpecs:\n    worker:\n      replicas: 2\n      maxReplicas: 4\n"
            + "      template:\n        spec:\n          containers:\n            - name: main\n"
            + container.indent(14));
  }
}

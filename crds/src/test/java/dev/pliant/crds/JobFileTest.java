package dev.pliant.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.CleanPodPolicy;
import dev.pliant.crds.api.OnDelete;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class JobFileTest {
  private static final String HEAD =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      """;

  private static final String METADATA =
      """
      metadata:
        name: count
      """;

  private static final String TEMPLATE =
      """
            template:
              spec:
                containers:
                  - name: main
                    command: [python3, count.py]
      """;

  private static final String SMALLEST =
      HEAD
          + METADATA
          + """
          spec:
            replicaSpecs:
              worker:
          """
          + TEMPLATE;

  @Test
  void aNewJobOfNoWorkersSaysNoNumber() {
    ReplicaSpec worker = JobFile.parse("job.yaml", worker("replicas: 0")).spec().worker();

    assertThat(worker.replicas()).isNull();
    assertThat(worker.initialReplicas()).isEqualTo(1);
  }

  @Test
  void readsTheSmallestJobWithItsDefaults() {
    ElasticJob job = JobFile.parse("job.yaml", SMALLEST);

    assertThat(job.id()).isEqualTo(new JobId("default", "count"));
    assertThat(job.spec().distributionStrategy()).isEqualTo(DistributionStrategy.LOCAL);
    assertThat(job.spec().envs()).isEmpty();
    ReplicaSpec worker = job.spec().worker();
    assertThat(worker.replicas()).isNull();
    assertThat(worker.initialReplicas()).isEqualTo(1);
    assertThat(worker.template().main().command()).containsExactly("python3", "count.py");
    assertThat(worker.template().main().image()).isNull();
  }

  @Test
  void readsEveryField() {
    ElasticJob job =
        JobFile.parse(
            "job.yaml",
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata:
              name: digits
              namespace: team-a
              labels: {pliant.dev/scenario: digits}
              annotations: {note: "kept"}
            spec:
              distributionStrategy: ring-allreduce
              optimizeMode: single-job
              brainService: "brain:50001"
              resourceLimits: {cpu: 6, memory: 8192Mi}
              suspend: true
              storage: {claim: journals}
              checkpoint: {claim: models, path: digits, every: 50, keep: 2}
              ttl: 3600
              scaler: PodScaler
              cleanPodPolicy: All
              enableDynamicSharding: true
              envs:
                OMP_NUM_THREADS: "1"
                HOSTNAME:
                  valueFrom: {fieldRef: {fieldPath: metadata.name}}
              replicaSpecs:
                worker:
                  replicas: 2
                  minReplicas: 1
                  maxReplicas: 4
                  restartCount: 3
                  autoScale: False
                  restartTimeout: 60
                  priority: 0.5
                  nprocPerNode: 2
                  template:
                    metadata: {annotations: {sidecar.istio.io/inject: "false"}}
                    spec:
                      restartPolicy: Never
                      containers:
                        - name: main
                          image: "python:3"
                          imagePullPolicy: Always
                          command: [/bin/bash, -c]
                          args: ["exec python3 train.py"]
                          workingDir: src
                          env:
                            - {name: A, value: "1"}
                            - {name: EMPTY}
                          resources:
                            limits: {cpu: 2, memory: 3Gi}
                            requests: {cpu: 500m}
            """);

    assertThat(job.metadata())
        .isEqualTo(
            new Metadata(
                "digits",
                "team-a",
                Map.of("pliant.dev/scenario", "digits"),
                Map.of("note", "kept")));
    assertThat(job.spec().distributionStrategy()).isEqualTo(DistributionStrategy.ALLREDUCE);
    assertThat(job.spec().optimizeMode()).isEqualTo(OptimizeMode.SINGLE_JOB);
    assertThat(job.spec().brainService()).isEqualTo("brain:50001");
    assertThat(job.spec().resourceLimits()).isEqualTo(Map.of("cpu", "6", "memory", "8192Mi"));
    assertThat(job.spec().suspend()).isTrue();
    assertThat(job.spec().storage()).isEqualTo(new Storage("journals", null, OnDelete.Delete));
    assertThat(job.spec().checkpoint())
        .isEqualTo(new Checkpoint("models", "digits", 50, 2, null, false));
    assertThat(job.spec().ttlSeconds()).isEqualTo(3600);
    assertThat(job.spec().scaler()).isEqualTo(ScalerKind.PodScaler);
    assertThat(job.spec().cleanPodPolicy()).isEqualTo(CleanPodPolicy.All);
    assertThat(job.spec().unused()).containsExactly("spec.enableDynamicSharding");
    assertThat(job.spec().envs())
        .containsExactly(
            new EnvVar("OMP_NUM_THREADS", "1"),
            new EnvVar("HOSTNAME", null, Map.of("fieldRef", Map.of("fieldPath", "metadata.name"))));
    ReplicaSpec worker = job.spec().worker();
    assertThat(worker.initialReplicas()).isEqualTo(2);
    assertThat(worker.minReplicas()).isEqualTo(1);
    assertThat(worker.maxReplicas()).isEqualTo(4);
    assertThat(worker.restartCount()).isEqualTo(3);
    assertThat(worker.autoScale()).isFalse();
    assertThat(worker.restartTimeoutSeconds()).isEqualTo(60);
    assertThat(worker.priority()).isEqualTo(Priority.of("0.5"));
    assertThat(worker.processesPerNode()).isEqualTo(2);
    assertThat(worker.template().main())
        .isEqualTo(
            new Container(
                "main",
                "python:3",
                List.of("/bin/bash", "-c"),
                List.of("exec python3 train.py"),
                List.of(new EnvVar("A", "1"), new EnvVar("EMPTY", "")),
                "src",
                new Container.Resources(
                    Map.of("cpu", "2", "memory", "3Gi"), Map.of("cpu", "500m"))));
  }

  @Test
  void keepsWhatKubernetesOwnsInThePodTemplate() {
    String yaml = SMALLEST + "              securityContext: {runAsUser: 1000}\n";

    Map<String, Object> source =
        JobFile.parse("job.yaml", yaml).spec().worker().template().source();

    assertThat(source)
        .isEqualTo(
            Map.of(
                "spec",
                Map.of(
                    "containers",
                    List.of(
                        Map.of(
                            "name", "main",
                            "command", List.of("python3", "count.py"),
                            "securityContext", Map.of("runAsUser", 1000))))));
  }

  @Test
  void readsRolesInBothShapesIntoOneModel() {
    String roles = "    %s:\n      restartCount: 3\n" + TEMPLATE;
    String named =
        HEAD
            + METADATA
            + "spec:\n  replicaSpecs:\n"
            + roles.formatted("ps")
            + roles.formatted("worker")
            + roles.formatted("evaluator");
    String direct =
        HEAD
            + METADATA
            + "spec:\n"
            + roles.formatted("parameterServer")
            + roles.formatted("worker")
            + roles.formatted("evaluator");

    assertThat(JobFile.parse("a.yaml", direct).spec().replicaSpecs())
        .isEqualTo(JobFile.parse("b.yaml", named).spec().replicaSpecs())
        .containsOnlyKeys(Role.PARAMETER_SERVER, Role.WORKER, Role.EVALUATOR);
  }

  @Test
  void readsEverySpellingOfAStrategy() {
    Map<String, DistributionStrategy> spellings =
        Map.of(
            "Local", DistributionStrategy.LOCAL,
            "AllreduceStrategy", DistributionStrategy.ALLREDUCE,
            "ring-allreduce", DistributionStrategy.ALLREDUCE,
            "ParameterServerStrategy", DistributionStrategy.PARAMETER_SERVER,
            "parameter_server", DistributionStrategy.PARAMETER_SERVER);
    spellings.forEach((spelling, strategy) ->
        assertThat(
                JobFile.parse("job.yaml", spec("distributionStrategy: " + spelling))
                    .spec()
                    .distributionStrategy())
            .isEqualTo(strategy));
  }

  @Test
  void readsAnchorsAndAliases() {
    String yaml =
        HEAD
            + """
            metadata:
              name: count
              labels: &labels {app: count}
              annotations: *labels
            spec:
              replicaSpecs:
                worker:
            """
            + TEMPLATE;

    assertThat(JobFile.parse("job.yaml", yaml).metadata().annotations())
        .containsEntry("app", "count");
  }

  static Stream<Arguments> badFiles() {
    return Stream.of(
        arguments("nothing in it", "", "1:1: the file is empty; an ElasticJob is expected."),
        arguments("only a comment", "# job\n", "1:1: the file is empty"),
        arguments("a list", "- a\n", "1:1: the file must be a mapping, but is a list."),
        arguments("text", "hello\n", "1:1: the file must be a mapping, but is the text 'hello'."),
        arguments("no YAML", "a: [1, 2\nb: 3\n", "2:2: this is no YAML: "),
        arguments("tabs", "a:\n\tb: 1\n", "2:1: this is no YAML: "),
        arguments(
            "an unknown key at the top",
            "apiVersoin: x\n",
            "1:1: unknown key 'apiVersoin'; did you mean 'apiVersion'?"),
        arguments(
            "a key that is near nothing",
            "colour: red\n",
            "1:1: unknown key 'colour'; known here: apiVersion, kind, metadata, spec, status."),
        arguments("no apiVersion", "kind: ElasticJob\n", "1:1: 'apiVersion' is missing."),
        arguments(
            "another version",
            "apiVersion: elastic.iml.github.io/v2\nkind: ElasticJob\n",
            "1:1: 'apiVersion' is 'elastic.iml.github.io/v2'; only"
                + " 'elastic.iml.github.io/v1alpha1' is known."),
        arguments(
            "another kind",
            "apiVersion: elastic.iml.github.io/v1alpha1\nkind: Job\n",
            "2:1: 'kind' is 'Job'; only 'ElasticJob' is known."),
        arguments("no metadata", HEAD, "1:1: 'metadata' is missing."),
        arguments("empty metadata", HEAD + "metadata:\n", "3:1: 'metadata' is missing."),
        arguments("no name", HEAD + "metadata: {}\n", "3:11: 'metadata.name' is missing."),
        arguments(
            "a name that is a number",
            HEAD + "metadata: {name: 7}\n",
            "3:18: 'metadata.name' must be text, but is the number 7; put it in quotes: \"7\"."),
        arguments(
            "a name with a slash",
            HEAD + "metadata:\n  name: a/b\n",
            "4:3: the name of the job, 'a/b', may not hold '/' or begin with '.'."),
        arguments(
            "a namespace with a space",
            HEAD + "metadata:\n  name: a\n  namespace: b c\n",
            "5:3: the name of the job's namespace, 'b c', has ' ' at position 1;"),
        arguments("no spec", HEAD + METADATA, "1:1: 'spec' is missing."),
        arguments(
            "a strategy that is misspelt",
            HEAD
                + METADATA
                + "spec:\n  distributionStrategy: AllReduceStrategie\n"
                + "  replicaSpecs:\n    worker:\n"
                + TEMPLATE,
            "6:3: unknown strategy 'AllReduceStrategie'; did you mean 'AllreduceStrategy'?"),
        arguments(
            "no roles",
            HEAD + METADATA + "spec: {}\n",
            "5:7: this job has no workers; write them as 'spec.replicaSpecs.worker' or as"
                + " 'spec.worker'."),
        arguments(
            "a role in both shapes",
            HEAD
                + METADATA
                + "spec:\n  worker:\n"
                + TEMPLATE.replace("      template", "    template")
                + "  replicaSpecs:\n    worker:\n"
                + TEMPLATE,
            "the role 'worker' stands in this file for the second time"),
        arguments(
            "a mode that is misspelt",
            spec("optimizeMode: singel-job"),
            "6:3: unknown mode 'singel-job'; did you mean 'single-job'?"),
        arguments(
            "a key of the spec that is misspelt",
            spec("brainservice: x:1"),
            "6:3: unknown key 'brainservice'; did you mean 'brainService'?"),
        arguments(
            "suspend that is text",
            spec("suspend: \"yes\""),
            "6:12: 'spec.suspend' must be true or false, but is the text 'yes'."),
        arguments(
            "a checkpoint that is nowhere",
            spec("checkpoint: {every: 5}"),
            "6:3: 'spec.checkpoint' needs a 'path', or a 'claim' on a cluster, or both."),
        arguments(
            "checkpoints that are not kept",
            spec("checkpoint: {path: c, keep: 0}"),
            "6:31: 'spec.checkpoint.keep' is 0; it must be from 1 to 1,000."),
        arguments(
            "a key of a checkpoint that is misspelt",
            spec("checkpoint: {path: c, evry: 5}"),
            "6:25: unknown key 'evry'; did you mean 'every'?"),
        arguments(
            "storage without a claim",
            spec("storage: {path: x}"),
            "6:12: 'spec.storage.claim' is missing."),
        arguments(
            "a word for a deleted job's journal that is misspelt",
            spec("storage: {claim: c, onDelete: Retan}"),
            "6:23: unknown onDelete 'Retan'; did you mean 'Retain'?"),
        arguments(
            "time to live below nothing",
            spec("ttl: -1"),
            "6:8: 'spec.ttl' is -1; it must be from 0 to 2,147,483,647."),
        arguments(
            "processes that are none",
            worker("nprocPerNode: 0"),
            "8:21: 'spec.replicaSpecs.worker.nprocPerNode' is 0; it must be from 1 to 1,024."),
        arguments(
            "a restart policy that is misspelt",
            worker("restartPolicy: Nevr"),
            "8:7: unknown policy 'Nevr'; did you mean 'Never'?"),
        arguments(
            "a role that is misspelt",
            HEAD + METADATA + "spec:\n  replicaSpecs:\n    workers: {}\n",
            "7:5: unknown key 'workers'; did you mean 'worker'?"),
        arguments(
            "a key of a role that is misspelt",
            worker("replica: 2"),
            "8:7: unknown key 'replica'; did you mean 'replicas'?"),
        arguments(
            "the same key twice",
            worker("replicas: 2\n      replicas: 3"),
            "9:7: key 'replicas' stands here for the second time, first on line 8."),
        arguments(
            "text for a number",
            worker("replicas: two"),
            "8:17: 'spec.replicaSpecs.worker.replicas' must be a whole number, but is the text"
                + " 'two'."),
        arguments(
            "a number that is not whole",
            worker("replicas: 1.5"),
            "8:17: 'spec.replicaSpecs.worker.replicas' must be a whole number, but is the number"
                + " 1.5."),
        arguments(
            "no workers at all, and some at the least",
            worker("replicas: 0\n      minReplicas: 2"),
            "9:7: minReplicas is 2, more than replicas, which is 0."),
        arguments(
            "very many workers",
            worker("replicas: 99999999999"),
            "8:17: 'spec.replicaSpecs.worker.replicas' is 99999999999; it must be from 0 to"
                + " 10,000."),
        arguments(
            "min above max",
            worker("maxReplicas: 2\n      minReplicas: 3"),
            "9:7: minReplicas is 3, more than maxReplicas, which is 2."),
        arguments(
            "more than max",
            worker("replicas: 5\n      maxReplicas: 4"),
            "8:7: replicas is 5, more than maxReplicas, which is 4."),
        arguments(
            "fewer than min",
            worker("replicas: 1\n      minReplicas: 2"),
            "9:7: minReplicas is 2, more than replicas, which is 1."),
        arguments(
            "no template",
            HEAD + METADATA + "spec:\n  replicaSpecs:\n    worker:\n      replicas: 1\n",
            "8:7: 'spec.replicaSpecs.worker.template' is missing."),
        arguments(
            "a priority that is none",
            SMALLEST.replace("worker:\n", "worker:\n      priority: 7\n"),
            "'7' is no priority; write the name of one of the cluster's PriorityClasses, or from 0 to 1 which share of the role is of the class 'high' while the rest is of 'low'."),
        arguments(
            "no container",
            HEAD
                + METADATA
                + "spec:\n  replicaSpecs:\n    worker:\n      template:\n"
                + "        spec:\n          containers: []\n",
            "10:11: 'spec.replicaSpecs.worker.template.spec.containers' needs at least one"
                + " container."),
        arguments(
            "a command that is no list",
            SMALLEST.replace("[python3, count.py]", "python3 count.py"),
            "12:24: 'spec.replicaSpecs.worker.template.spec.containers[0].command' must be a list,"
                + " but is the text 'python3 count.py'."),
        arguments(
            "an argument that is a number",
            SMALLEST.replace("count.py]", "7]"),
            "12:34: 'spec.replicaSpecs.worker.template.spec.containers[0].command[1]' must be text,"
                + " but is the number 7; put it in quotes: \"7\"."),
        arguments(
            "a variable without a name",
            SMALLEST + "              env: [{value: x}]\n",
            "13:21: 'spec.replicaSpecs.worker.template.spec.containers[0].env[0].name' is"
                + " missing."),
        arguments(
            "two documents",
            SMALLEST + "---\n" + SMALLEST,
            "14:1: a second document begins here; a job file holds one ElasticJob alone."),
        arguments(
            "an alias of nothing",
            "apiVersion: *x\n",
            "1:13: alias '*x' names no mapping or list before it; write the value out."),
        arguments("nested without end", "a: " + "[".repeat(5_000), "1:"),
        arguments("aliases of aliases", laughs(), "unfolds into more than 100,000 values."));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badFiles")
  void saysWhatIsWrongAndWhere(String name, String yaml, String want) {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.parse("job.yaml", yaml))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_JOB_FILE))
        .withMessageStartingWith("job.yaml:")
        .withMessageContaining(want);
  }

  @Test
  void saysWhatIsWrongWithTheFileItself(@TempDir Path folder) throws IOException {
    Path absent = folder.resolve("absent.yaml");
    Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xC3, 0x28});
    Path large = Files.writeString(folder.resolve("large.yaml"), "#".repeat(1 << 20) + "\n");
    Path good = Files.writeString(folder.resolve("good.yaml"), SMALLEST, StandardCharsets.UTF_8);

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.read(absent))
        .withMessage(absent + ": there is no such file.");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.read(folder))
        .withMessage(folder + ": is a folder; name the job's YAML file.");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.read(binary))
        .withMessage(binary + ": is not UTF-8 text.");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.read(large))
        .withMessage(large + ": is larger than 1,048,576 bytes; this is no job file.");
    assertThat(JobFile.read(good).metadata().name()).isEqualTo("count");
  }

  private static String worker(String fields) {
    return HEAD
        + METADATA
        + "spec:\n  replicaSpecs:\n    worker:\n      "
        + fields
        + "\n"
        + TEMPLATE;
  }

  private static String spec(String fields) {
    return HEAD + METADATA + "spec:\n  " + fields + "\n  replicaSpecs:\n    worker:\n" + TEMPLATE;
  }

  private static String laughs() {
    StringBuilder yaml = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
      String alias = "*a" + (i - 1);
      yaml.append(
          "a%d: &a%d [%s]\n"
              .formatted(
                  i,
                  i,
                  String.join(
                      ", ",
                      List.of(
                          alias, alias, alias, alias, alias, alias, alias, alias, alias, alias))));
    }
    return yaml.toString();
  }

  @Test
  void whatIsSentIsWhatWasRead() {
    JobFile.Written written =
        JobFile.written(
            "job.yaml",
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: digits}
            spec:
              ttl: 1_000
              resourceLimits: {cpu: 1.5}
              worker:
                autoScale: True
                priority: 0.25
                template:
                  spec:
                    priority: 0.5
                    volumes: [{name: s, secret: {secretName: s, defaultMode: 0400}}]
                    containers: [{name: main, image: ~}]
            """);

    assertThat(written.job().spec().ttlSeconds()).isEqualTo(1_000);
    assertThat(written.object().toString())
        .contains("ttl=1000", "autoScale=true", "defaultMode=256", "image=null");
    // A server takes no fractions as numbers there.
    assertThat(written.object())
        .extractingByKey("spec", InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("resourceLimits", Map.of("cpu", "1.5"))
        .extractingByKey("worker", InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("priority", "0.25");
  }
}

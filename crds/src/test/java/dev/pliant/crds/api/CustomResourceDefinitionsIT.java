package dev.pliant.crds.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pliant.crds.CustomResourceDefinitions;
import dev.pliant.crds.JobFile;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a real API server takes and refuses, and with which words.
final class CustomResourceDefinitionsIT {
  private static final String POD = "template: {spec: {containers: [{name: main, command: [x]}]}}";
  private static final String NAMESPACE = "definitions-it-" + Long.toString(System.nanoTime(), 36);

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static KubernetesClient client;

  @BeforeAll
  static void defineThem() {
    Needs.cluster();
    client = new KubernetesClientBuilder().build();
    for (var definition : CustomResourceDefinitions.all()) {
      client.resource(definition).forceConflicts().serverSideApply();
    }
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    // An API server takes a moment to go by a definition that changed.
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .untilAsserted(() -> {
          create(job("x", "worker: {%s}".formatted(POD)));
          create(plan("{ownerJob: x, masterEpoch: 1}"));
          create(jobResource("{selector: {name: x}, worker: {replicas: 1}}"));
        });
  }

  @AfterAll
  static void removeThem() {
    if (client != null) {
      client.namespaces().withName(NAMESPACE).delete();
      client.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "worker: {%s}",
        "replicaSpecs: {worker: {%s}}",
        "worker: {replicas: 0, %s}",
        "replicaSpecs: {worker: {replicas: 0, %s}}",
        "{worker: {maxReplicas: 3, %s}, replicaSpecs: {worker: {replicas: 3}}}",
        "{worker: {%1$s}, parameterServer: {%1$s}, replicaSpecs: {ps: {replicas: 2}}}",
        "worker: {priority: high, %s}",
        "worker: {priority: '0.5', %s}",
        "{worker: {%s}, resourceLimits: {cpu: 6, memory: 8Gi}, envs: {A: '1', B: {value: x}}}",
      })
  void takesAJobThatMeansSomething(String spec) {
    create(job("x", spec.formatted(POD)));
  }

  static Stream<Arguments> badJobs() {
    return Stream.of(
        arguments("{}", "this job has no workers"),
        arguments("replicaSpecs: {ps: {%s}}", "this job has no workers"),
        arguments("worker: {replicas: 2}", "every role needs a template"),
        arguments(
            "replicaSpecs: {worker: {%s}, chief: {replicas: 1}}", "every role needs a template"),
        arguments("worker: {template: {spec: {containers: []}}}", "at least 1 items"),
        arguments("worker: {minReplicas: 3, maxReplicas: 2, %s}", "minReplicas is more than"),
        arguments("worker: {replicas: 3, maxReplicas: 2, %s}", "replicas is more than maxReplicas"),
        arguments("worker: {replicas: 1, minReplicas: 2, %s}", "replicas is less than minReplicas"),
        arguments(
            "{worker: {maxReplicas: 2, %s}, replicaSpecs: {worker: {replicas: 3}}}",
            "lies outside minReplicas and maxReplicas"),
        arguments(
            "{worker: {%1$s}, replicaSpecs: {worker: {%1$s}}}", "a role has a template twice"),
        arguments("{worker: {%1$s}, ps: {%1$s}, parameterServer: {%1$s}}", "are one role"),
        arguments(
            "replicaSpecs: {worker: {%1$s}, ps: {%1$s}, parameter_server: {%1$s}}", "are one role"),
        arguments("{worker: {%1$s}, master: {%1$s}, dlrover-master: {%1$s}}", "are one role"),
        arguments(
            "replicaSpecs: {worker: {%1$s}, wroker: {%1$s}}", "a role of replicaSpecs is one of"),
        arguments(
            "{distributionStrategy: ring, worker: {%s}}", "AllreduceStrategy (or ring-allreduce)"),
        arguments("worker: {priority: 2, %s}", "the name of a PriorityClass, or from 0 to 1"),
        arguments("worker: {priority: '1.5', %s}", "the name of a PriorityClass, or from 0 to 1"),
        arguments("{optimizeMode: auto, worker: {%s}}", "manual, single-job or cluster"),
        arguments("{scaler: podscaler, worker: {%s}}", "Unsupported value"),
        arguments("{checkpoint: {every: 3}, worker: {%s}}", "a claim, a path, or both"),
        arguments("{storage: {claim: c, path: /x}, worker: {%s}}", "a folder in the claim"),
        arguments("{storage: {claim: c, path: a/../b}, worker: {%s}}", "a folder in the claim"),
        arguments("{resourceLimits: {cpu: much}, worker: {%s}}", "spec.resourceLimits.cpu"),
        arguments("{resourceLimits: {cpu: 99999999999}, worker: {%s}}", "less than or equal to"),
        arguments("{worker: {nprocPerNode: 99999999999, %s}}", "less than or equal to 1024"));
  }

  @ParameterizedTest
  @MethodSource("badJobs")
  void refusesAJobThatMeansNothing(String spec, String want) {
    assertRefused(job("x", spec.formatted(POD)), want);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1a", "a.b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
  void refusesANameThatLeavesNoRoom(String name) {
    assertRefused(
        job(name, "worker: {%s}".formatted(POD)), "a job's name has at most 45 lower-case letters");
  }

  static Stream<Arguments> badPlans() {
    return Stream.of(
        arguments(plan("{ownerJob: x}"), "this plan asks for nothing"),
        arguments(plan("{ownerJob: x, removePods: []}"), "this plan asks for nothing"),
        arguments(plan("{masterEpoch: 1}"), "spec.ownerJob: Required value"),
        arguments(
            plan("{ownerJob: x, replicaResourceSpecs: {wroker: {replicas: 1}}}"),
            "a role of replicaResourceSpecs is one of worker, ps"),
        arguments(plan("{ownerJob: x, replicaResourceSpecs: {worker: {}}}"), "say how many"),
        arguments(jobResource("{selector: {name: x}}"), "say what is to change"),
        arguments(jobResource("{worker: {replicas: 1}}"), "spec.selector: Required value"));
  }

  @ParameterizedTest
  @MethodSource("badPlans")
  void refusesAPlanThatMeansNothing(String yaml, String want) {
    assertRefused(yaml, want);
  }

  @Test
  void refusesTheWordOfAMasterThatANewerOneHasReplaced() {
    apply(plan("{ownerJob: x, masterEpoch: 5, createPods: [{name: x-worker-0}]}"));

    for (String older :
        List.of("{ownerJob: x, masterEpoch: 4}", "{ownerJob: x, removePods: [{name: y}]}")) {
      assertThatExceptionOfType(KubernetesClientException.class)
          .isThrownBy(() -> apply(plan(older)))
          .withMessageContaining("a newer master of this job has written this plan");
    }
    apply(plan("{ownerJob: x, masterEpoch: 6}"));
  }

  /// `kubectl scale` writes that field, whether it is there or not.
  @ParameterizedTest
  @ValueSource(
      strings = {"worker: {maxReplicas: 4, %s}", "replicaSpecs: {worker: {maxReplicas: 4, %s}}"})
  void aJobOfEitherShapeIsScaledByItsWorkers(String spec) {
    String name = "scaled-" + spec.charAt(0);
    var job =
        client.resource(
            Serialization.unmarshal(job(name, spec.formatted(POD)), ElasticJobResource.class));
    job.create();

    job.patch(PatchContext.of(PatchType.JSON_MERGE), replicas(2));
    assertThat(JobFile.of(job.get()).spec().worker().replicas()).isEqualTo(2);
    assertThat(job.scale().getSpec().getReplicas()).isEqualTo(2);
    for (int refused : List.of(0, 5)) {
      assertThatExceptionOfType(KubernetesClientException.class)
          .isThrownBy(() -> job.patch(PatchContext.of(PatchType.JSON_MERGE), replicas(refused)));
    }
    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> job.scale(0))
        .withMessageContaining("set spec.suspend to true");
  }

  /// A job, a merge patch of its spec after another, and what the last of them is refused with.
  static Stream<Arguments> changes() {
    String filled =
        "{worker: {replicas: 2, maxReplicas: 4, %s}, replicaSpecs: {worker: {replicas: 2}}}";
    return Stream.of(
        arguments("worker: {replicas: 0, %s}", List.of("suspend: true"), null),
        arguments("worker: {replicas: 2, %s}", List.of("worker: {replicas: 0}"), "spec.suspend"),
        arguments("replicaSpecs: {worker: {replicas: 0, %s}}", List.of("suspend: true"), null),
        arguments(filled, List.of("worker: {replicas: 6, minReplicas: 5, maxReplicas: 8}"), null),
        arguments(
            filled,
            List.of("worker: {replicas: 6, minReplicas: 5, maxReplicas: 8}", "suspend: true"),
            null),
        arguments(
            filled,
            List.of(
                "worker: {replicas: 6, minReplicas: 5, maxReplicas: 8}",
                "replicaSpecs: {worker: {replicas: 6}}"),
            null),
        arguments(
            filled,
            List.of(
                "worker: {replicas: 6, minReplicas: 5, maxReplicas: 8}",
                "replicaSpecs: {worker: {replicas: 3}}"),
            "lies outside"),
        arguments(filled, List.of("replicaSpecs: {worker: {replicas: 5}}"), "lies outside"),
        arguments(filled, List.of("worker: {replicas: 1, maxReplicas: 1}"), null),
        arguments(
            "{worker: {maxReplicas: 4, %s}, replicaSpecs: {worker: {replicas: 2}}}",
            List.of("worker: {maxReplicas: 1}"), "lies outside"),
        arguments(
            "{distributionStrategy: AllreduceStrategy, worker: {%s}}",
            List.of("distributionStrategy: ring-allreduce"), null),
        arguments("worker: {%s}", List.of("distributionStrategy: Local"), null),
        arguments(
            "worker: {%s}",
            List.of("distributionStrategy: ring-allreduce"), "distributionStrategy says how"),
        arguments("worker: {%s}", List.of("worker: {nprocPerNode: 1}"), null),
        arguments("worker: {%s}", List.of("worker: {nprocPerNode: 2}"), "nprocPerNode of the"),
        arguments(
            "replicaSpecs: {worker: {nprocPerNode: 2, %s}}",
            List.of("replicaSpecs: {worker: {nprocPerNode: null}}"), "nprocPerNode of the"),
        arguments(
            "worker: {nprocPerNode: 2, %s}",
            List.of("replicaSpecs: {worker: {replicas: 3}}"), null),
        arguments(
            "worker: {nprocPerNode: 2, %s}",
            List.of("replicaSpecs: {worker: {nprocPerNode: 4}}"), "nprocPerNode of the"));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void takesAChangeThatMeansSomething(String spec, List<String> patches, @Nullable String refused) {
    var job =
        client.resource(
            Serialization.unmarshal(job("changed", spec.formatted(POD)), ElasticJobResource.class));
    job.create();
    try {
      for (String patch : patches.subList(0, patches.size() - 1)) {
        change(job, patch);
      }
      if (refused == null) {
        change(job, patches.getLast());
      } else {
        assertThatExceptionOfType(KubernetesClientException.class)
            .isThrownBy(() -> change(job, patches.getLast()))
            .withMessageContaining(refused);
      }
    } finally {
      job.delete();
    }
  }

  private static void change(Resource<ElasticJobResource> job, String patch) {
    try {
      job.patch(
          PatchContext.of(PatchType.JSON_MERGE),
          new YAMLMapper().readTree("spec: {" + patch + "}").toString());
    } catch (JsonProcessingException e) {
      throw new AssertionError(patch, e);
    }
  }

  private static String replicas(int count) {
    return "{\"spec\":{\"replicaSpecs\":{\"worker\":{\"replicas\":%d}}}}".formatted(count);
  }

  private static void apply(String yaml) {
    client.resource(read(yaml)).forceConflicts().serverSideApply();
  }

  private static void assertRefused(String yaml, String want) {
    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> create(yaml))
        .withMessageContaining(want);
  }

  /// As if: nothing is kept.
  private static void create(String yaml) {
    client.resource(read(yaml)).dryRun().create();
  }

  private static GenericKubernetesResource read(String yaml) {
    return Serialization.unmarshal(yaml, GenericKubernetesResource.class);
  }

  private static String job(String name, String spec) {
    return object(
        "elastic.iml.github.io/v1alpha1",
        "ElasticJob",
        name,
        spec.startsWith("{") ? spec : "{" + spec + "}");
  }

  private static String plan(String spec) {
    return object("elastic.iml.github.io/v1alpha1", "ScalePlan", "x-auto", spec);
  }

  private static String jobResource(String spec) {
    return object("elastic.easydl.org/v1alpha1", "JobResource", "x", spec);
  }

  private static String object(String version, String kind, String name, String spec) {
    return "apiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: %s}\nspec: %s\n"
        .formatted(version, kind, name, NAMESPACE, spec);
  }
}

package dev.pliant.cli.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads and changes the objects of jobs. What this user may not see beside the jobs themselves is
/// taken for absent, so that everybody sees as much as may be.
final class ClusterObjects {
  private final Cluster cluster;

  ClusterObjects(Cluster cluster) {
    this.cluster = cluster;
  }

  /// Those of a namespace, or of all.
  List<ElasticJobResource> jobs(Optional<String> namespace) {
    var jobs = cluster.client().resources(ElasticJobResource.class);
    return cluster.ask(
        "list the jobs "
            + namespace.map(name -> "of namespace " + name).orElse("of all namespaces"),
        () ->
            (namespace.isPresent() ? jobs.inNamespace(namespace.get()) : jobs.inAnyNamespace())
                .list()
                .getItems());
  }

  /// @throws PliantException where there is none
  ElasticJobResource existing(JobId job) {
    return find(job)
        .orElseThrow(() ->
            new PliantException(
                ErrorCode.UNKNOWN_JOB,
                "there is no job %s in the cluster at %s; '%s' lists those that are."
                    .formatted(job, cluster.name(), cluster.calling().command("get jobs -A"))));
  }

  /// A job that is not there is another matter than a cluster that knows no jobs.
  Optional<ElasticJobResource> find(JobId job) {
    try {
      return Optional.ofNullable(cluster.ask("look at job " + job, () -> require(job)));
    } catch (PliantException e) {
      if (e.code() == ErrorCode.UNKNOWN_JOB) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /// `get` takes every 404 for an object that is not there.
  private ElasticJobResource require(JobId job) {
    ElasticJobResource found = resource(job).get();
    if (found == null) {
      var unused =
          cluster
              .client()
              .resources(ElasticJobResource.class)
              .inNamespace(job.namespace())
              .withField("metadata.name", job.name())
              .list(); // Fails where there is no such kind.
      throw new PliantException(ErrorCode.UNKNOWN_JOB, "there is no job " + job);
    }
    return found;
  }

  private Resource<ElasticJobResource> resource(JobId job) {
    return cluster
        .client()
        .resources(ElasticJobResource.class)
        .inNamespace(job.namespace())
        .withName(job.name());
  }

  /// @throws PliantException where this user may not see them
  List<Pod> pods(JobNames names) {
    return cluster.ask(
        "list the pods of job " + names.job(),
        () ->
            cluster
                .client()
                .pods()
                .inNamespace(names.namespace())
                .withLabels(names.podSelector())
                .list()
                .getItems());
  }

  /// How many workers the job's master wishes, by its own word; nothing where it has said none, or
  /// this user may not see it.
  Optional<Integer> wished(JobNames names) {
    Stream<@Nullable ScalePlanSpec> plans =
        Stream.concat(
            orNone(() -> labelled(ScalePlan.class, names)).stream()
                .filter(plan -> isMasters(plan, names))
                .map(ScalePlan::getSpec),
            orNone(() -> labelled(JobResource.class, names)).stream()
                .filter(plan -> isMasters(plan, names) && plan.getSpec() != null)
                .map(plan -> plan.getSpec().plan()));
    return plans
        .flatMap(Stream::ofNullable)
        .flatMap(plan -> Stream.ofNullable(plan.job()))
        .flatMap(report -> Stream.ofNullable(report.wish()))
        .findFirst();
  }

  private static boolean isMasters(HasMetadata plan, JobNames names) {
    return plan.getMetadata().getName().equals(names.plan());
  }

  /// None where this user may not see them.
  List<Pod> visiblePods(JobNames names) {
    return orNone(() -> pods(names));
  }

  /// The pods of every job of a namespace, or of all.
  List<Pod> podsOfAll(Optional<String> namespace) {
    var pods = cluster.client().pods();
    return orNone(() ->
        cluster.ask(
            "list the pods of the jobs",
            () ->
                (namespace.isPresent() ? pods.inNamespace(namespace.get()) : pods.inAnyNamespace())
                    .withLabel(JobNames.JOB_LABEL)
                    .list()
                    .getItems()));
  }

  /// @param job what happened to it, not to an earlier one of its name
  List<JobEvent> events(ElasticJobResource job) {
    JobNames names = JobNames.of(job);
    List<Event> events =
        cluster.ask(
            "read the events of namespace " + names.namespace(),
            () -> cluster.client().v1().events().inNamespace(names.namespace()).list().getItems());
    Instant since =
        PodViews.instant(job.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH);
    return ClusterEvents.of(events, names, plans(names), since);
  }

  private Set<String> plans(JobNames names) {
    Set<String> plans = new LinkedHashSet<>();
    for (Class<? extends HasMetadata> type : List.of(ScalePlan.class, JobResource.class)) {
      orNone(() -> labelled(type, names)).forEach(plan -> plans.add(plan.getMetadata().getName()));
    }
    return plans;
  }

  /// Everything of a type that carries the job's label.
  <T extends HasMetadata> List<T> labelled(Class<T> type, JobNames names) {
    return cluster.ask(
        "list the %s of job %s".formatted(HasMetadata.getPlural(type), names.job()),
        () ->
            cluster
                .client()
                .resources(type)
                .inNamespace(names.namespace())
                .withLabels(names.podSelector())
                .list()
                .getItems());
  }

  void scale(JobId job, int workers) {
    var unused = cluster.ask("scale job " + job, () -> resource(job).scale(workers));
  }

  void suspend(JobId job, boolean suspended) {
    String patch = "{\"spec\":{\"suspend\":%b}}".formatted(suspended);
    var unused =
        cluster.ask(
            (suspended ? "stop job " : "go on with job ") + job,
            () -> resource(job).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /// @param spec what becomes of its spec, as a merge patch
  void change(JobId job, ObjectNode spec) {
    String patch = "{\"spec\":%s}".formatted(spec);
    var unused =
        cluster.ask(
            "go on with job %s as its file has it".formatted(job),
            () -> resource(job).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /// Makes a plan; returns its name.
  String create(ScalePlan plan) {
    return cluster
        .ask(
            "scale job %s by a plan".formatted(plan.getSpec().ownerJob()),
            () ->
                cluster
                    .client()
                    .resource(plan)
                    .inNamespace(plan.getMetadata().getNamespace())
                    .create())
        .getMetadata()
        .getName();
  }

  /// Has the operator delete the job's checkpoints with the job.
  void deleteCheckpointsToo(JobId job) {
    String patch =
        "{\"metadata\":{\"annotations\":{\"%s\":\"true\"}}}"
            .formatted(JobNames.DELETE_CHECKPOINTS_ANNOTATION);
    var unused =
        cluster.ask(
            "have the checkpoints of job %s deleted".formatted(job),
            () -> resource(job).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  void delete(JobId job) {
    var unused = cluster.ask("delete job " + job, () -> resource(job).delete());
  }

  /// What may not be seen is taken for absent, and what this cluster knows nothing of is.
  static <T> List<T> orNone(Supplier<List<T>> call) {
    try {
      return call.get();
    } catch (PliantException e) {
      boolean unseen =
          e.code() == ErrorCode.NOT_ALLOWED
              || e.code() == ErrorCode.NOT_INSTALLED
              || (e.getCause() instanceof KubernetesClientException cause
                  && cause.getCode() == 404);
      if (unseen) {
        return List.of();
      }
      throw e;
    }
  }
}

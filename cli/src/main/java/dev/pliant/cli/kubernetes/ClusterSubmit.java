package dev.pliant.cli.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.run.RunRequest.Start;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.Metadata;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// `pliant submit` to a cluster: everything that can be said before is said before anything is made
/// there.
public final class ClusterSubmit implements AutoCloseable {
  /// What to do about a job of the same name that is there already.
  public enum Again {
    REFUSE,
    REPLACE,
    RESUME
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Cluster cluster;
  private final ClusterObjects objects;
  private final @Nullable String namespace;

  private ClusterSubmit(Cluster cluster, @Nullable String namespace) {
    this.cluster = cluster;
    this.objects = new ClusterObjects(cluster);
    this.namespace = namespace;
  }

  public static ClusterSubmit to(ClusterChoice choice) {
    return new ClusterSubmit(Cluster.open(choice), choice.namespace());
  }

  /// Makes the job; returns it by name.
  ///
  /// @param name another name than the file's, or null
  /// @param start the checkpoint that a new job starts from, or null for what the file says
  /// @param notes takes what the user should know
  public JobId submit(
      Path file, @Nullable String name, Again again, @Nullable Start start, Consumer<String> notes)
      throws InterruptedException {
    JobFile.Written read = JobFile.written(file.toString(), JobFile.text(file));
    GenericKubernetesResource raw =
        JSON.convertValue(read.object(), GenericKubernetesResource.class);
    if (start != null) {
      startFrom(file, start, raw);
    }
    ElasticJob job = placed(file, read.job(), raw.getMetadata(), name);
    Written written = new Written(file, job, new JobNames(job.id()), raw);
    written.place();
    ClusterFit.check(file.toString(), job);
    Optional<ElasticJobResource> there = objects.find(job.id());
    switch (again) {
      case RESUME -> resume(written, there, notes);
      case REPLACE -> replace(written, there.isPresent(), notes);
      case REFUSE -> {
        if (there.isPresent()) {
          throw new PliantException(
              ErrorCode.JOB_EXISTS,
              "job %s is there already (%s); go on with it with --resume, start it anew with --replace, or give this one another name with --name."
                  .formatted(job.id(), JobInfos.state(there.get()).word()));
        }
        check(written, notes);
        create(written);
      }
    }
    return job.id();
  }

  /// Writes into the job which checkpoint it starts from.
  private static void startFrom(Path file, Start start, GenericKubernetesResource raw) {
    if (!(raw.getAdditionalProperties().get("spec") instanceof Map<?, ?> spec)
        || !(spec.get("checkpoint") instanceof Map<?, ?> checkpoint)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s: --from-checkpoint needs 'spec.checkpoint' in the job file.".formatted(file));
    }
    Map<Object, Object> changed = new LinkedHashMap<>(checkpoint);
    changed.put("from", start.from());
    changed.put("withDataPosition", start.withDataPosition());
    Map<Object, Object> changedSpec = new LinkedHashMap<>(spec);
    changedSpec.put("checkpoint", changed);
    raw.setAdditionalProperty("spec", changedSpec);
  }

  /// A job as its file has it: what it means, and what the server is told of it.
  private record Written(Path file, ElasticJob job, JobNames names, GenericKubernetesResource raw) {
    /// Gives it the name and the namespace that were chosen, and takes off what is not for users to
    /// say.
    void place() {
      ObjectMeta metadata = new ObjectMeta();
      metadata.setName(names.job().name());
      metadata.setNamespace(names.namespace());
      metadata.setLabels(raw.getMetadata().getLabels());
      metadata.setAnnotations(raw.getMetadata().getAnnotations());
      raw.setMetadata(metadata);
      raw.getAdditionalProperties().remove("status");
    }
  }

  private void check(Written written, Consumer<String> notes) {
    new TemplateCheck(cluster)
        .check(written.file().toString(), written.job(), written.names(), notes);
    ClusterFit.notes(written.job()).forEach(notes);
  }

  /// In the namespace that the file, the options or the context say, under the name that is wished.
  private ElasticJob placed(Path file, ElasticJob job, ObjectMeta written, @Nullable String name) {
    String own = written.getNamespace();
    if (own != null && namespace != null && !own.equals(namespace)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s: the job is in the namespace '%s', and --namespace says '%s'."
              .formatted(file, own, namespace));
    }
    String to = own == null ? cluster.namespace() : own;
    Metadata metadata = job.metadata();
    return new ElasticJob(
        new Metadata(
            name == null ? metadata.name() : name, to, metadata.labels(), metadata.annotations()),
        job.spec());
  }

  /// Nothing is deleted before the cluster has seen what is to come.
  private void replace(Written written, boolean there, Consumer<String> notes)
      throws InterruptedException {
    check(written, notes);
    if (!there) {
      create(written);
      return;
    }
    JobId job = written.names().job();
    new TrialRun(cluster).check(written.names(), written.raw(), notes);
    notes.accept("job %s is deleted, to be started anew …".formatted(job));
    try {
      String unused = new Deletion(objects).delete(job, notes);
      create(written);
    } catch (PliantException e) {
      throw new PliantException(e.code(), e.getMessage() + " " + notMade(written), e);
    }
  }

  /// What is left where a job was to be replaced, and how to go on from there.
  private String notMade(Written written) {
    JobId job = written.names().job();
    String file = written.file().toString();
    String named = " --name " + job.name();
    Calling calling = cluster.calling();
    try {
      boolean stays =
          objects.find(job).filter(j -> j.getMetadata().getDeletionTimestamp() == null).isPresent();
      return stays
          ? "The job that is there stays as it is, and the new one was NOT made."
          : "The new job was NOT made; once nothing is left of the old one, '%s' makes it."
              .formatted(calling.submit(file, job, named));
    } catch (PliantException e) { // The cluster has said what is wrong with it already.
      return "The new job was NOT made, and whether the old one is still there cannot be seen now; once the cluster answers again, '%s' makes the new one in either case."
          .formatted(calling.submit(file, job, named + " --replace"));
    }
  }

  /// Goes on with a job, as its file has it now.
  private void resume(Written written, Optional<ElasticJobResource> there, Consumer<String> notes) {
    JobId job = written.names().job();
    if (there.isEmpty()) {
      throw new PliantException(
          ErrorCode.UNKNOWN_JOB,
          "there is no job %s to go on with; submit it without --resume.".formatted(job));
    }
    State state = JobInfos.state(there.get());
    if (JobInfos.over(state)) {
      throw new PliantException(
          ErrorCode.JOB_OVER,
          "job %s is over (%s); --replace starts it anew.".formatted(job, state.word()));
    }
    ObjectNode live = spec(there.get());
    ObjectNode file = spec(written.raw());
    sayWorkers(written, SpecChange.workers(live), SpecChange.workers(file), notes);
    ObjectNode change = SpecChange.between(live, file);
    if (change.isEmpty()) {
      objects.suspend(job, false);
      return;
    }
    check(written, notes);
    String changed = String.join(", ", SpecChange.paths("spec", change));
    change.put("suspend", false);
    try {
      objects.change(job, change);
    } catch (PliantException e) {
      throw new PliantException(
          e.code(),
          "%s The job stays as it is; %s differs from it in %s. Take that back, or start the job anew with --replace."
              .formatted(e.getMessage(), written.file(), changed),
          e);
    }
    notes.accept(
        "%s differed from the job in %s; the job goes on as the file says."
            .formatted(written.file(), changed));
  }

  private void sayWorkers(
      Written written, OptionalInt there, OptionalInt said, Consumer<String> notes) {
    if (there.isPresent() && said.isPresent() && there.getAsInt() != said.getAsInt()) {
      notes.accept(
          "%s says %s; the job keeps the number that was wished last, %d. '%s' changes it."
              .formatted(
                  written.file(),
                  Amounts.count(said.getAsInt(), "worker"),
                  there.getAsInt(),
                  cluster
                      .calling()
                      .verb("scale", written.names().job(), " --workers " + said.getAsInt())));
    }
  }

  private static ObjectNode spec(HasMetadata job) {
    try {
      return JSON.readTree(Serialization.asJson(job)).path("spec") instanceof ObjectNode spec
          ? spec
          : JSON.createObjectNode();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // It was written a moment ago.
    }
  }

  private void create(Written written) {
    var unused =
        cluster.ask(
            "submit job " + written.names().job(),
            () ->
                cluster
                    .client()
                    .resource(written.raw())
                    .inNamespace(written.names().namespace())
                    .create());
  }

  /// What to do next.
  public List<String> next(JobId job) {
    Calling calling = cluster.calling();
    return List.of(
        "job %s is submitted to the cluster at %s.".formatted(job, cluster.name()),
        "follow it with '%s', look at it with '%s', end it with '%s'."
            .formatted(
                calling.verb("logs", job, " -f"),
                calling.verb("describe", job, ""),
                calling.verb("stop", job, "")));
  }

  /// Shows how far the job is until it has ended.
  public ClusterFollow following(JobId job) {
    return new ClusterFollow(cluster, objects, job);
  }

  @Override
  public void close() {
    cluster.close();
  }
}

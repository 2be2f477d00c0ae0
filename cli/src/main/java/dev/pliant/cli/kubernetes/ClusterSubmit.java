package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.Metadata;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
  /// @param notes takes what the user should know
  public JobId submit(Path file, @Nullable String name, Again again, Consumer<String> notes)
      throws IOException, InterruptedException {
    ElasticJob read = JobFile.read(file);
    GenericKubernetesResource raw =
        Serialization.unmarshal(Files.readString(file), GenericKubernetesResource.class);
    ElasticJob job = placed(file, read, raw.getMetadata(), name);
    JobNames names = new JobNames(job.id());
    ClusterFit.check(file.toString(), job);
    Optional<ElasticJobResource> there = objects.find(job.id());
    if (again == Again.RESUME) {
      resume(job.id(), there);
      return job.id();
    }
    if (there.isPresent() && again == Again.REFUSE) {
      throw new PliantException(
          ErrorCode.JOB_EXISTS,
          "job %s is there already (%s); go on with it with --resume, start it anew with --replace, or give this one another name with --name."
              .formatted(job.id(), JobInfos.state(there.get()).word()));
    }
    new TemplateCheck(cluster).check(file.toString(), job, names);
    ClusterFit.notes(job).forEach(notes);
    if (there.isPresent()) {
      notes.accept("job %s is deleted, to be started anew …".formatted(job.id()));
      String unused = new Deletion(objects).delete(job.id(), notes);
    }
    create(names, raw);
    return job.id();
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

  private void resume(JobId job, Optional<ElasticJobResource> there) {
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
    objects.suspend(job, false);
  }

  /// As the file has it, for the server knows best what it means.
  private void create(JobNames names, GenericKubernetesResource raw) {
    ObjectMeta written = raw.getMetadata();
    ObjectMeta metadata = new ObjectMeta();
    metadata.setName(names.job().name());
    metadata.setNamespace(names.namespace());
    metadata.setLabels(written.getLabels());
    metadata.setAnnotations(written.getAnnotations());
    raw.setMetadata(metadata);
    raw.getAdditionalProperties().remove("status");
    var unused =
        cluster.ask(
            "submit job " + names.job(),
            () -> cluster.client().resource(raw).inNamespace(names.namespace()).create());
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

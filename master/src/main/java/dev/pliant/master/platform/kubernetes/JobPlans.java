package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.Container;
import dev.pliant.crds.DistributionStrategy;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a master is to do, from the job that a cluster keeps. Variables are left to the pods, which
/// have them from the job's templates.
public final class JobPlans {
  private JobPlans() {}

  /// A job of a cluster is run once, from its creation on. Another of its name that finds its
  /// journal, where both name the folder, is another run of it.
  ///
  /// @throws dev.pliant.model.PliantException where nothing can come of the job
  public static JobPlan of(ElasticJobResource resource) {
    ObjectMeta metadata = resource.getMetadata();
    String created = metadata.getCreationTimestamp();
    return of(
        JobFile.of(resource),
        String.valueOf(metadata.getUid()),
        created == null ? JobPlan.UNTOLD_RUN : Instant.parse(created).toEpochMilli());
  }

  /// @param uid of the job
  /// @param run when the job was created, in ms
  static JobPlan of(ElasticJob job, String uid, long run) {
    ReplicaSpec worker = job.spec().worker();
    Container main = worker.template().main();
    List<String> command = new ArrayList<>(main.command());
    command.addAll(main.args());
    // Workers with parameter servers are no group: each leases its share of the records.
    boolean group = job.spec().distributionStrategy() == DistributionStrategy.ALLREDUCE;
    RoleBounds bounds = RoleBounds.of(job.spec(), Role.WORKER);
    return new JobPlan(
        job.id(),
        run,
        group ? Strategy.ALLREDUCE : Strategy.LOCAL,
        group ? Elasticity.AUTO : Elasticity.NONE,
        new JobPlan.Workers(
            bounds.wish(),
            bounds.min(),
            bounds.max(),
            restarts(worker),
            worker.restartMillis(),
            resources(worker)),
        worker.processesPerNode(),
        command,
        Map.of(),
        main.workingDir() == null ? "/" : main.workingDir(),
        checkpoint(job),
        "",
        JobPlan.DEFAULT_LAST_CALL_MILLIS,
        others(job),
        job.spec().limits(),
        uid);
  }

  private static List<JobPlan.RolePlan> others(ElasticJob job) {
    List<JobPlan.RolePlan> others = new ArrayList<>();
    job.spec()
        .replicaSpecs()
        .forEach((role, spec) -> {
          if (role != Role.WORKER && role != Role.MASTER) {
            RoleBounds bounds = RoleBounds.of(job.spec(), role);
            others.add(
                new JobPlan.RolePlan(
                    role.label(),
                    bounds.wish(),
                    bounds.min(),
                    bounds.max(),
                    restarts(spec),
                    spec.restartMillis(),
                    resources(spec)));
          }
        });
    return others;
  }

  private static int restarts(ReplicaSpec role) {
    Integer given = role.restartCount();
    return given == null ? JobPlan.DEFAULT_RESTARTS : given;
  }

  /// What its container may use at the most.
  private static NodeResources resources(ReplicaSpec role) {
    return new ResourceAmounts(role.template().main().resources().limits())
        .over(NodeResources.UNBOUNDED);
  }

  private static JobPlan.@Nullable Checkpointing checkpoint(ElasticJob job) {
    Checkpoint given = job.spec().checkpoint();
    if (given == null) {
      return null;
    }
    return new JobPlan.Checkpointing(
        given.path() == null ? "" : given.path(),
        given.every(),
        given.keep(),
        given.from() == null ? "" : given.from(),
        given.withDataPosition());
  }
}

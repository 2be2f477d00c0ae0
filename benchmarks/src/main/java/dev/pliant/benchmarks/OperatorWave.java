package dev.pliant.benchmarks;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.operator.cluster.SlimReading;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/// The pods of many ElasticJobs as our operator makes and removes them. Masters run on simulated
/// nodes, which is to say not at all: their plans are written here.
record OperatorWave(ClusterSpace space, int jobs, int workers) {
  private static final String ROLE = "pliant.dev/role";

  /// As many as the operator asks for at a time.
  private static final long PAGE = 500;

  /// What is looked at while all pods run.
  interface AtTheTop {
    void look() throws Exception;
  }

  WaveSpeeds run(AtTheTop atTheTop) throws Exception {
    var manifests = new WaveManifests(space.namespace(), workers);
    var without = new WaveManifests(space.namespace(), 0);
    try (PodWave masters = new PodWave(space, ROLE, "master");
        PodWave wave = new PodWave(space, ROLE, "worker")) {
      InParallel.run(jobs, i -> space.client().resource(manifests.elasticJob(i)).create());
      masters.awaitRunning(jobs, WaveSpeeds.BOUND);
      long began = System.nanoTime();
      InParallel.run(jobs, i -> apply(manifests.plan(i)));
      wave.awaitRunning(jobs * workers, WaveSpeeds.BOUND);
      double up = WaveSpeeds.since(began, jobs * workers);
      atTheTop.look();
      began = System.nanoTime();
      InParallel.run(jobs, i -> apply(without.plan(i)));
      wave.awaitGone(WaveSpeeds.BOUND);
      return new WaveSpeeds(up, WaveSpeeds.since(began, jobs * workers));
    }
  }

  private Object apply(ScalePlan plan) {
    return space
        .client()
        .resource(plan)
        .forceConflicts()
        .fieldManager("pliant-master")
        .serverSideApply();
  }

  /// Waits until every job says of itself that it runs: pods that do are not all of it.
  void awaitJobsRunning() throws InterruptedException, TimeoutException {
    awaitJobs(
        "do not say that they run",
        job -> job.getStatus() == null || job.getStatus().phase() != JobStatePhase.Running);
  }

  /// Deletes all jobs, and waits until they and all pods that they had are gone.
  void deleteJobs() throws Exception {
    try (PodWave all = new PodWave(space, ROLE, "master")) {
      var _ = elasticJobs().delete();
      awaitJobs("are there", _ -> true);
      all.awaitGone(WaveSpeeds.BOUND);
    }
  }

  private FilterWatchListDeletable<
          ElasticJobResource,
          KubernetesResourceList<ElasticJobResource>,
          Resource<ElasticJobResource>>
      elasticJobs() {
    return space.client().resources(ElasticJobResource.class).inNamespace(space.namespace());
  }

  private void awaitJobs(String what, Predicate<ElasticJobResource> waits)
      throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + WaveSpeeds.BOUND.toNanos();
    while (true) {
      long waiting = elasticJobs().list().getItems().stream().filter(waits).count();
      if (waiting == 0) {
        return;
      }
      if (System.nanoTime() - end > 0) {
        throw new TimeoutException(
            "%,d of %,d jobs %s after %d s"
                .formatted(waiting, jobs, what, WaveSpeeds.BOUND.toSeconds()));
      }
      Thread.sleep(1_000); // A look costs the API server what a watch would not, but is rare.
    }
  }

  /// A worker's pod as the operator made it.
  Pod anyWorker() {
    return space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withLabel(ROLE, "worker")
        .list(new ListOptionsBuilder().withLimit(1L).build())
        .getItems()
        .getFirst();
  }

  /// How long a list of all the pods of jobs takes, by pages and with what is kept of them, as the
  /// operator reads it when its watch has to begin anew: the first finds classes and compiles them,
  /// which an operator has behind it.
  List<Double> listSeconds() {
    try (KubernetesClient operators = SlimReading.connect(space.client().getConfiguration())) {
      return List.of(listSeconds(operators), listSeconds(operators));
    }
  }

  private double listSeconds(KubernetesClient operators) {
    long began = System.nanoTime();
    int pods = 0;
    String more = null;
    do {
      PodList page =
          operators
              .pods()
              .inNamespace(space.namespace())
              .withLabel("pliant.dev/job")
              .list(new ListOptionsBuilder().withLimit(PAGE).withContinue(more).build());
      pods += page.getItems().size();
      more = page.getMetadata().getContinue();
    } while (more != null && !more.isEmpty());
    if (pods < jobs * workers) {
      throw new IllegalStateException("%,d pods are listed, and more there are".formatted(pods));
    }
    return (System.nanoTime() - began) / 1e9;
  }

  /// The resident memory of the operator: its pod is a process of this machine.
  ///
  /// @param now what it has
  /// @param most what it ever had
  record Memory(double now, double most) {}

  static Memory operatorMegabytes() throws IOException {
    Memory memory = new Memory(0, 0);
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      String line = process.info().commandLine().orElse("");
      if (line.contains(" operator") && line.contains("/pliant/")) {
        Memory its = new Memory(megabytes(process, "VmRSS:"), megabytes(process, "VmHWM:"));
        memory = its.now > memory.now ? its : memory;
      }
    }
    if (memory.now == 0) {
      throw new IllegalStateException("no process of this machine is the operator");
    }
    return memory;
  }

  private static double megabytes(ProcessHandle process, String what) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    return Files.readAllLines(status).stream()
            .filter(line -> line.startsWith(what))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElse(0)
        / 1024.0;
  }
}

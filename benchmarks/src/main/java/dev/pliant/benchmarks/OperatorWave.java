package dev.pliant.benchmarks;

import dev.pliant.crds.api.ScalePlan;
import dev.pliant.operator.cluster.SlimReading;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
  /// operator reads it when its watch has to begin anew.
  double listSeconds() {
    try (KubernetesClient operators = SlimReading.connect(space.client().getConfiguration())) {
      double first = listSeconds(operators); // Which finds classes and compiles them.
      return Math.min(first, listSeconds(operators));
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
  static double operatorMegabytes() throws IOException {
    long most = 0;
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      String line = process.info().commandLine().orElse("");
      if (line.contains(" operator") && line.contains("/pliant/")) {
        most = Math.max(most, residentKilobytes(process.pid()));
      }
    }
    return most / 1024.0;
  }

  private static long residentKilobytes(long pid) throws IOException {
    Path status = Path.of("/proc", Long.toString(pid), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }
}

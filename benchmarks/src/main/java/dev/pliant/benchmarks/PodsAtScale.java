package dev.pliant.benchmarks;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/// How fast the operator makes pods of many jobs and takes them away again, beside Kubernetes' own
/// Job controller in the same cluster. Nodes are simulated, plans are written as masters would.
final class PodsAtScale implements Measure {
  private static final Duration BOUND = Duration.ofMinutes(10);
  private static final int NODES = 200;
  private static final String PLACED =
      """
      nodeSelector: {type: kwok}
      tolerations: [{key: kwok.x-k8s.io/node, operator: Exists}]
      """;

  /// Pods a second.
  private record Speeds(double up, double down) {}

  @Override
  public String name() {
    return "pods";
  }

  @Override
  public String what() {
    return "pods of many jobs made and removed, beside Kubernetes' Job controller";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    Path scripts = bench.root().resolve("e2e/cluster");
    script(bench, scripts.resolve("up").toString());
    script(bench, scripts.resolve("install").toString());
    script(bench, scripts.resolve("simulate").toString(), Integer.toString(NODES));
    try (KubernetesClient client = connect()) {
      var rows = new ArrayList<Row>();
      rows.addAll(beside(bench, client, 100, 20));
      if (bench.plan().full()) {
        rows.addAll(many(bench, client, 1_000, 10));
      }
      return rows;
    } finally {
      script(bench, scripts.resolve("simulate").toString(), "0");
    }
  }

  private static List<Row> beside(Bench bench, KubernetesClient client, int jobs, int workers)
      throws Exception {
    var up = new ArrayList<Double>();
    var down = new ArrayList<Double>();
    var peerUp = new ArrayList<Double>();
    var peerDown = new ArrayList<Double>();
    for (int round = 1; round <= bench.plan().trainings(); round++) {
      Speeds peer = jobController(client, jobs, workers);
      bench.say("Job controller: %.1f pods/s up, %.1f down", peer.up(), peer.down());
      Speeds ours = operator(client, jobs, workers);
      bench.say("operator: %.1f pods/s up, %.1f down", ours.up(), ours.down());
      up.add(ours.up());
      down.add(ours.down());
      peerUp.add(peer.up());
      peerDown.add(peer.down());
    }
    Bar bar = new Bar.RatioAtLeast(0.8);
    String what = "%,d jobs of %,d workers".formatted(jobs, workers);
    return List.of(
        Row.of("pods", what + ", up", "pods/s", new Series(up), bar)
            .beside("Job controller", new Series(peerUp)),
        Row.of("pods", what + ", down", "pods/s", new Series(down), bar)
            .beside("Job controller", new Series(peerDown)));
  }

  private static List<Row> many(Bench bench, KubernetesClient client, int jobs, int workers)
      throws Exception {
    try (Scene scene = new Scene(client, "pods-many")) {
      Speeds speeds = scene.operator(jobs, workers, bench);
      String what = "%,d jobs of %,d workers".formatted(jobs, workers);
      return List.of(
          Row.of("pods", what + ", up", "pods/s", new Series(List.of(speeds.up())), Bar.none()),
          Row.of("pods", what + ", down", "pods/s", new Series(List.of(speeds.down())), Bar.none()),
          Row.of(
              "pods",
              what + ": the operator's memory",
              "MB",
              new Series(List.of(scene.operatorMegabytes)),
              new Bar.ValueAtMost(300)),
          Row.of(
              "pods",
              "a list of %,d pods".formatted(jobs * workers),
              "s",
              new Series(List.of(scene.listSeconds)),
              new Bar.ValueAtMost(2)));
    }
  }

  private static Speeds jobController(KubernetesClient client, int jobs, int workers)
      throws Exception {
    try (Scene scene = new Scene(client, "pods-peer")) {
      return scene.jobController(jobs, workers);
    }
  }

  private static Speeds operator(KubernetesClient client, int jobs, int workers) throws Exception {
    try (Scene scene = new Scene(client, "pods-ours")) {
      return scene.operator(jobs, workers, null);
    }
  }

  private static KubernetesClient connect() {
    String cache =
        System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
    Path kubeconfig = Path.of(cache, "pliant/kubernetes/run/admin.kubeconfig");
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
        .build();
  }

  private static void script(Bench bench, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(bench.work().resolve("cluster.log").toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(
          "%s failed; its log is %s".formatted(command[0], bench.work().resolve("cluster.log")));
    }
  }

  /// A namespace of its own, in which one wave of pods comes and goes.
  private static final class Scene implements AutoCloseable {
    private final KubernetesClient client;
    private final String namespace;
    private double operatorMegabytes;
    private double listSeconds;

    Scene(KubernetesClient client, String prefix) {
      this.client = client;
      this.namespace = prefix + "-" + Long.toString(System.nanoTime(), 36);
      client
          .resource(
              new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
          .create();
    }

    Speeds jobController(int jobs, int workers) throws Exception {
      try (PodWave wave = new PodWave(client, namespace, "wave", "peer")) {
        long began = System.nanoTime();
        inParallel(jobs, i -> client.resource(job(i, workers)).create());
        wave.awaitRunning(jobs * workers, BOUND);
        double up = speed(jobs * workers, began);
        began = System.nanoTime();
        inParallel(
            jobs,
            i ->
                client
                    .batch()
                    .v1()
                    .jobs()
                    .inNamespace(namespace)
                    .withName("j" + i)
                    .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                    .withGracePeriod(0)
                    .delete());
        wave.awaitGone(BOUND);
        return new Speeds(up, speed(jobs * workers, began));
      }
    }

    private Job job(int i, int workers) {
      return client
          .batch()
          .v1()
          .jobs()
          .load(
              """
              apiVersion: batch/v1
              kind: Job
              metadata: {name: j%d, namespace: %s}
              spec:
                parallelism: %d
                completions: %d
                template:
                  metadata: {labels: {wave: peer}}
                  spec:
                    restartPolicy: Never
              %s      containers: [{name: main, image: "pliant.local/pause:1", command: [/pause]}]
              """
                  .formatted(i, namespace, workers, workers, PLACED.indent(6))
                  .transform(Scene::stream))
          .item();
    }

    private static java.io.InputStream stream(String text) {
      return new java.io.ByteArrayInputStream(
          text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    Speeds operator(int jobs, int workers, @org.jspecify.annotations.Nullable Bench measured)
        throws Exception {
      try (PodWave masters = new PodWave(client, namespace, "pliant.dev/role", "master");
          PodWave wave = new PodWave(client, namespace, "pliant.dev/role", "worker")) {
        inParallel(jobs, i -> client.resource(elasticJob(i, workers)).create());
        masters.awaitRunning(jobs, BOUND);
        long began = System.nanoTime();
        inParallel(jobs, i -> apply(plan(i, workers)));
        wave.awaitRunning(jobs * workers, BOUND);
        double up = speed(jobs * workers, began);
        if (measured != null) {
          operatorMegabytes = operatorMemory();
          listSeconds = list();
        }
        began = System.nanoTime();
        inParallel(jobs, i -> apply(plan(i, 0)));
        wave.awaitGone(BOUND);
        return new Speeds(up, speed(jobs * workers, began));
      }
    }

    private Object apply(ScalePlan plan) {
      return client.resource(plan).forceConflicts().fieldManager("pliant-master").serverSideApply();
    }

    private ElasticJobResource elasticJob(int i, int workers) {
      return client
          .resources(ElasticJobResource.class)
          .load(
              """
              apiVersion: elastic.iml.github.io/v1alpha1
              kind: ElasticJob
              metadata: {name: j%d, namespace: %s}
              spec:
                distributionStrategy: AllreduceStrategy
                replicaSpecs:
                  master:
                    template:
                      spec:
              %s          containers: [{name: main}]
                  worker:
                    replicas: %d
                    template:
                      spec:
              %s          containers: [{name: main, image: "pliant.local/pause:1", command: [/pause]}]
              """
                  .formatted(i, namespace, PLACED.indent(10), workers, PLACED.indent(10))
                  .transform(Scene::stream))
          .item();
    }

    private ScalePlan plan(int i, int workers) {
      String job = "j" + i;
      ScalePlan plan = new ScalePlan();
      plan.setMetadata(
          new ObjectMetaBuilder()
              .withName(job + "-auto")
              .withNamespace(namespace)
              .addToLabels("scale-type", "auto")
              .addToLabels("elasticjob-name", job)
              .addToLabels("pliant.dev/job", job)
              .build());
      List<PodPlan> pods =
          IntStream.range(0, workers)
              .mapToObj(n -> new PodPlan(job + "-worker-" + n, "worker", n, n, 0, null))
              .toList();
      plan.setSpec(
          new ScalePlanSpec(
              job,
              null,
              pods,
              List.of(),
              null,
              null,
              1L,
              new JobReport(JobStatePhase.Running, "", workers, 1, Math.max(1, workers), 0)));
      return plan;
    }

    private double operatorMemory() throws IOException {
      long most = 0;
      for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        String line = process.info().commandLine().orElse("");
        if (line.contains(" operator") && line.contains("/pliant/")) {
          String text = java.nio.file.Files.readString(status);
          most =
              Math.max(
                  most,
                  text.lines()
                      .filter(each -> each.startsWith("VmRSS:"))
                      .mapToLong(each -> Long.parseLong(each.replaceAll("\\D", "")))
                      .findFirst()
                      .orElse(0));
        }
      }
      return most / 1024.0;
    }

    private double list() {
      long began = System.nanoTime();
      var unused =
          client
              .pods()
              .inNamespace(namespace)
              .withLabel("pliant.dev/job")
              .list(new ListOptionsBuilder().withResourceVersion("0").build());
      return (System.nanoTime() - began) / 1e9;
    }

    private static double speed(int pods, long began) {
      return pods / ((System.nanoTime() - began) / 1e9);
    }

    private interface Numbered {
      Object run(int number) throws Exception;
    }

    private static void inParallel(int count, Numbered work) throws Exception {
      try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
        List<Callable<Object>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          int number = i;
          all.add(() -> work.run(number));
        }
        for (Future<Object> each : threads.invokeAll(all)) {
          each.get();
        }
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception cause ? cause : e;
      }
    }

    @Override
    public void close() {
      client.namespaces().withName(namespace).delete();
    }
  }
}

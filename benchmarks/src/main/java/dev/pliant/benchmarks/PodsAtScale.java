package dev.pliant.benchmarks;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/// How fast the operator makes pods of many jobs and takes them away again, beside Kubernetes' own
/// Job controller in the same cluster. Nodes are simulated, plans are written as masters would.
final class PodsAtScale implements Measure {
  static final int NODES = 200;
  private static final int WARM_UP = 20;
  private static final String SAME = "Job controller, the same pods";
  private static final String BARE = "Job controller, bare pods";

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
    try (Cluster cluster = Cluster.ready(bench)) {
      cluster.run("simulate", Integer.toString(NODES));
      try {
        return beside(bench, cluster.client(), 100, 20);
      } finally {
        cluster.run("simulate", "0");
      }
    }
  }

  private static List<Row> beside(Bench bench, KubernetesClient client, int jobs, int workers)
      throws Exception {
    var ours = new ArrayList<WaveSpeeds>();
    var same = new ArrayList<WaveSpeeds>();
    var bare = new ArrayList<WaveSpeeds>();
    PodTemplateSpec template = warmUp(client, workers);
    for (int round = 1; round <= bench.plan().waves(); round++) {
      same.add(said(bench, SAME, jobController(client, jobs, workers, template)));
      ours.add(said(bench, "operator", operator(client, jobs, workers, _ -> {})));
      bare.add(said(bench, BARE, jobController(client, jobs, workers, PeerPods.bare())));
    }
    String what = "%,d jobs of %,d workers".formatted(jobs, workers);
    Bar bar = new Bar.RatioAtLeast(0.8);
    return List.of(
        row(what + ", up", WaveSpeeds::up, ours, bar, SAME, same),
        row(what + ", down", WaveSpeeds::down, ours, bar, SAME, same),
        row(what + ", up", WaveSpeeds::up, ours, Bar.none(), BARE, bare),
        row(what + ", down", WaveSpeeds::down, ours, Bar.none(), BARE, bare));
  }

  /// A small wave of both, which is not counted.
  private static PodTemplateSpec warmUp(KubernetesClient client, int workers) throws Exception {
    var made = new ArrayList<PodTemplateSpec>();
    operator(client, WARM_UP, workers, pod -> made.add(PeerPods.like(pod)));
    jobController(client, WARM_UP, workers, made.getFirst());
    return made.getFirst();
  }

  private static WaveSpeeds said(Bench bench, String who, WaveSpeeds speeds) {
    bench.say("%s: %.1f pods/s up, %.1f down", who, speeds.up(), speeds.down());
    return speeds;
  }

  private static Row row(
      String name,
      ToDoubleFunction<WaveSpeeds> direction,
      List<WaveSpeeds> ours,
      Bar bar,
      String peer,
      List<WaveSpeeds> peers) {
    return Row.of("pods", name, "pods/s", series(ours, direction), bar)
        .beside(peer, series(peers, direction));
  }

  private static Series series(List<WaveSpeeds> waves, ToDoubleFunction<WaveSpeeds> direction) {
    return new Series(waves.stream().mapToDouble(direction).boxed().toList());
  }

  private static WaveSpeeds operator(
      KubernetesClient client, int jobs, int workers, Consumer<Pod> look) throws Exception {
    try (ClusterSpace space = ClusterSpace.make(client, "pods-ours")) {
      var wave = new OperatorWave(space, jobs, workers);
      return wave.run(() -> look.accept(wave.anyWorker()));
    }
  }

  private static WaveSpeeds jobController(
      KubernetesClient client, int jobs, int workers, PodTemplateSpec template) throws Exception {
    try (ClusterSpace space = ClusterSpace.make(client, "pods-peer")) {
      return new JobControllerWave(space, jobs, workers, template).run();
    }
  }
}

package dev.pliant.benchmarks;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;

/// How fast the operator makes pods of many jobs and takes them away again, beside Kubernetes' own
/// Job controller in the same cluster. Nodes are simulated, plans are written as masters would.
final class PodsAtScale implements Measure {
  static final int NODES = 200;

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
    var up = new ArrayList<Double>();
    var down = new ArrayList<Double>();
    var peerUp = new ArrayList<Double>();
    var peerDown = new ArrayList<Double>();
    for (int round = 1; round <= bench.plan().trainings(); round++) {
      WaveSpeeds peer = jobController(client, jobs, workers);
      bench.say("Job controller: %.1f pods/s up, %.1f down", peer.up(), peer.down());
      WaveSpeeds ours = operator(client, jobs, workers);
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

  private static WaveSpeeds jobController(KubernetesClient client, int jobs, int workers)
      throws Exception {
    try (ClusterSpace space = ClusterSpace.make(client, "pods-peer")) {
      return new JobControllerWave(space, jobs, workers).run();
    }
  }

  private static WaveSpeeds operator(KubernetesClient client, int jobs, int workers)
      throws Exception {
    try (ClusterSpace space = ClusterSpace.make(client, "pods-ours")) {
      return new OperatorWave(space, jobs, workers).run(() -> {});
    }
  }
}

package dev.pliant.benchmarks;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;

/// The pods of many Jobs as Kubernetes' own controller makes and removes them: the peer.
record JobControllerWave(ClusterSpace space, int jobs, int workers, PodTemplateSpec template) {
  WaveSpeeds run() throws Exception {
    var manifests = new WaveManifests(space.namespace(), workers);
    try (PodWave wave = new PodWave(space, PeerPods.LABEL, PeerPods.VALUE)) {
      long began = System.nanoTime();
      InParallel.run(jobs, i -> space.client().resource(manifests.job(i, template)).create());
      wave.awaitRunning(jobs * workers, WaveSpeeds.BOUND);
      double up = WaveSpeeds.since(began, jobs * workers);
      began = System.nanoTime();
      InParallel.run(jobs, this::delete);
      wave.awaitGone(WaveSpeeds.BOUND);
      return new WaveSpeeds(up, WaveSpeeds.since(began, jobs * workers));
    }
  }

  private Object delete(int number) {
    return space
        .client()
        .batch()
        .v1()
        .jobs()
        .inNamespace(space.namespace())
        .withName(WaveManifests.name(number))
        .withPropagationPolicy(DeletionPropagation.BACKGROUND)
        .withGracePeriod(0)
        .delete();
  }
}

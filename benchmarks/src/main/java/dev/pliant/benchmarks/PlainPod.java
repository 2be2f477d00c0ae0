package dev.pliant.benchmarks;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A pod like a worker's that nobody of ours has a hand in: the same image, volumes, limits and
/// init container, made directly; its program says what time it is and ends. So what it takes is
/// Kubernetes' own.
record PlainPod(PodTraining training) {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(100);

  /// From the request to the program's first word, in seconds.
  ///
  /// @param installs whether it has the init container that brings the agent
  double start(String name, boolean installs) throws IOException, InterruptedException {
    Pod like = training.workers().getFirst();
    Path word = training.notes().resolve("plain").resolve(name);
    Pod pod = pod(like, name, installs);
    double began = TrainingTrace.now();
    training.space().client().resource(pod).create();
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (!Files.exists(word) || Files.size(word) == 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("a plain pod did not start within %d s".formatted(BOUND.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    training.space().client().resource(pod).withGracePeriod(0).delete();
    return Double.parseDouble(Files.readString(word).strip()) - began;
  }

  private static Pod pod(Pod like, String name, boolean installs) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(like.getMetadata().getNamespace())
            .endMetadata()
            .withNewSpecLike(like.getSpec())
            .withNodeName(null)
            .withHostname(name)
            .editFirstContainer()
            .withCommand("/bin/sh", "-c", "date +%s.%N >/notes/plain/" + name)
            .withArgs(List.of())
            .endContainer()
            .endSpec()
            .build();
    if (!installs) {
      pod.getSpec().setInitContainers(List.of());
    }
    return pod;
  }
}

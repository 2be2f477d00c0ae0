package dev.pliant.cli.architecture.wrong.master.service;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/// Wrong: a master of one machine would load it.
public final class AsksTheCluster {
  private AsksTheCluster() {}

  public static KubernetesClient ask() {
    return new KubernetesClientBuilder().build();
  }
}

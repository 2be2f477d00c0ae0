package dev.pliant.master.platform.kubernetes;

import static dev.pliant.master.platform.kubernetes.KubernetesWorld.OBEDIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ScalerKind;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.platform.Platform;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The API server is away, as this master sees it, and what happens meanwhile is not lost.
class ApiServerAwayIT {
  private static final Duration BOUND = Duration.ofSeconds(90);

  @SuppressWarnings("NullAway.Init") // before all
  private static Cluster cluster;

  private final List<NodeNews> told = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void findACluster() {
    cluster = Cluster.needed();
  }

  @AfterAll
  static void leaveTheCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static NodeId worker(int number) {
    return new NodeId("worker", number);
  }

  private static DesiredNodes running(int... numbers) {
    return new DesiredNodes(
        true,
        IntStream.of(numbers)
            .mapToObj(n -> new DesiredNode(worker(n), NodeResources.UNBOUNDED, 0, n, false))
            .toList(),
        JobStanding.NONE);
  }

  private static KubernetesClient through(Wire wire) {
    Config config =
        new ConfigBuilder(Config.autoConfigure(null))
            .withMasterUrl("https://127.0.0.1:" + wire.port())
            .withTrustCerts(true)
            .withDisableHostnameVerification(true)
            .withRequestRetryBackoffLimit(0)
            .withConnectionTimeout(2_000)
            .withRequestTimeout(5_000)
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  @ParameterizedTest
  @EnumSource(
      value = ScalerKind.class,
      names = {"ElasticJobScaler", "PodScaler"})
  void nothingIsLostMeanwhile(ScalerKind scaler) throws IOException {
    try (KubernetesWorld world = new KubernetesWorld(cluster, scaler, OBEDIENT);
        Wire wire = new Wire(URI.create(cluster.client.getConfiguration().getMasterUrl()));
        Platform.Opened platform = world.open(() -> true, through(wire))) {
      platform.watcher().watch(told::add);
      platform.scaler().scale(running(0, 1));
      await()
          .atMost(BOUND)
          .until(() ->
              told.contains(new NodeNews.Running(worker(0)))
                  && told.contains(new NodeNews.Running(worker(1))));

      wire.cut();
      world.crash(worker(0));
      platform.scaler().scale(running(1, 2));
      await()
          .during(Duration.ofSeconds(12))
          .atMost(BOUND)
          .until(() -> !world.alive().contains(worker(2)));
      assertThat(told).noneMatch(news -> news instanceof NodeNews.Ended);
      wire.mend();

      await()
          .atMost(BOUND)
          .untilAsserted(() -> {
            assertThat(told)
                .filteredOn(news -> news instanceof NodeNews.Ended)
                .singleElement()
                .satisfies(end -> {
                  assertThat(end.node()).isEqualTo(worker(0));
                  assertThat(((NodeNews.Ended) end).reason()).isEqualTo(ExitReason.KILLED);
                });
            assertThat(told).contains(new NodeNews.Running(worker(2)));
          });
      assertThat(world.alive()).containsExactlyInAnyOrder(worker(1), worker(2));
    }
  }
}

package dev.pliant.operator;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.operator.cluster.JobReconciler;
import dev.pliant.operator.cluster.SlimReading;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.processing.event.rate.LinearRateLimiter;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An operator that runs. Any number of them may: with leader election one works and the others
/// stand by; one that loses the Lease ends its process, so that two never work at once.
public final class PliantOperator implements AutoCloseable {
  /// The Lease, in the operator's own namespace.
  public static final String LEASE = "pliant-operator";

  private static final Logger log = LoggerFactory.getLogger(PliantOperator.class);
  private static final int LOOKS_AT_ONCE = 16;

  /// A job is looked at no more often than this, whatever becomes of its pods meanwhile.
  private static final Duration BREATH = Duration.ofMillis(200);

  private static final int LOOKS_IN_A_BREATH = 4;

  private final Operator operator;
  private final JobReconciler reconciler;
  private final KubernetesClient client;
  private final @Nullable HealthServer health;
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicBoolean closing = new AtomicBoolean();

  private PliantOperator(OperatorConfig config, KubernetesClient client) {
    this.client = client;
    this.reconciler =
        new JobReconciler(client, config.namespaces(), config.images(), InstantSource.system());
    this.operator = new Operator(overrider -> configure(overrider, config, client));
    this.operator.register(reconciler, controller -> configure(controller, config));
    this.health = config.healthPort() < 0 ? null : serve(config.healthPort());
  }

  /// Starts an operator for the cluster that the environment names.
  public static PliantOperator start(OperatorConfig config) {
    return start(config, Config.autoConfigure(null));
  }

  /// Starts an operator for the cluster that `cluster` names. Returns when its caches are filled;
  /// with leader election, when it stands by.
  public static PliantOperator start(OperatorConfig config, Config cluster) {
    // By this name the API server keeps whose the fields are of what is created. It is set on the
    // very Config that was made: a copy would not know where to read a token anew.
    cluster.setUserAgent(JobReconciler.FIELD_MANAGER);
    return start(config, SlimReading.connect(cluster));
  }

  private static PliantOperator start(OperatorConfig config, KubernetesClient client) {
    PliantOperator operator = new PliantOperator(config, client);
    try {
      operator.operator.start();
      operator.started.set(true);
    } catch (RuntimeException e) {
      operator.close();
      throw e;
    }
    log.info(
        "operator of {} started, masters from {}",
        config.namespaces().isEmpty() ? "all namespaces" : String.join(", ", config.namespaces()),
        config.images().master());
    return operator;
  }

  /// Where health is answered, or -1.
  public int healthPort() {
    return health == null ? -1 : health.port();
  }

  private void configure(
      ConfigurationServiceOverrider service, OperatorConfig config, KubernetesClient client) {
    service
        .withKubernetesClient(client)
        .withCloseClientOnStop(false)
        .withConcurrentReconciliationThreads(LOOKS_AT_ONCE)
        .withUseSSAToPatchPrimaryResource(true)
        .withCacheSyncTimeout(Duration.ofMinutes(2))
        .withReconciliationTerminationTimeout(Duration.ofSeconds(10));
    if (config.leaderElection()) {
      service.withLeaderElectionConfiguration(lease(config));
    }
  }

  private LeaderElectionConfiguration lease(OperatorConfig config) {
    return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(LEASE)
        .withLeaseNamespace(config.home())
        .withIdentity(config.identity())
        .withExitOnStopLeading(false)
        .withLeaderCallbacks(new LeaderCallbacks(() -> {}, this::stopLeading, _ -> {}))
        .build();
  }

  /// One that is told to go gives the Lease back on its way. To exit then would be for ever: a
  /// process that exits already waits there for itself.
  private void stopLeading() {
    if (!closing.get()) {
      log.error("the Lease {} is lost: another operator takes over, and this process ends", LEASE);
      System.exit(1);
    }
  }

  private static void configure(
      ControllerConfigurationOverrider<ElasticJobResource> controller, OperatorConfig config) {
    controller
        .withRetry(
            new GenericRetry()
                .setInitialInterval(Duration.ofMillis(500))
                .setIntervalMultiplier(2)
                .setMaxInterval(60_000)
                .withoutMaxAttempts())
        .withRateLimiter(new LinearRateLimiter(BREATH, LOOKS_IN_A_BREATH));
    if (config.namespaces().isEmpty()) {
      controller.watchingAllNamespaces();
    } else {
      controller.settingNamespaces(config.namespaces());
    }
    if (config.namespaces().size() <= 1) {
      controller.withItemStore(JobReconciler.store());
    }
  }

  private HealthServer serve(int port) {
    try {
      return new HealthServer(port, this::sick, this::unready, () -> reconciler.metrics().text());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "health cannot be answered on port %d; give another by --health-port".formatted(port), e);
    }
  }

  private @Nullable String sick() {
    return !started.get() || operator.getRuntimeInfo().allEventSourcesAreHealthy()
        ? null
        : "a watch has ended: " + operator.getRuntimeInfo().unhealthyEventSources().keySet();
  }

  private @Nullable String unready() {
    return started.get() ? sick() : "the caches are not filled yet";
  }

  @Override
  public void close() {
    closing.set(true);
    if (health != null) {
      health.close();
    }
    operator.stop();
    reconciler.close();
    client.close();
  }
}

package dev.pliant.operator;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.operator.cluster.JobReconciler;
import dev.pliant.operator.cluster.SlimReading;
import dev.pliant.operator.cluster.UserPlans;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.Cloner;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import io.javaoperatorsdk.operator.health.Status;
import io.javaoperatorsdk.operator.processing.event.rate.LinearRateLimiter;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
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
  private final Runnable end;
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicBoolean closing = new AtomicBoolean();

  private PliantOperator(OperatorConfig config, KubernetesClient client, Runnable end) {
    this.client = client;
    this.end = end;
    this.reconciler =
        new JobReconciler(client, config.namespaces(), config.images(), InstantSource.system());
    this.operator = new Operator(overrider -> configure(overrider, config, client));
    this.operator.register(reconciler, controller -> configure(controller, config));
    UserPlans plans = new UserPlans(client, InstantSource.system());
    this.operator.register(
        new UserPlans.OfScalePlans(plans), controller -> configurePlans(controller, config));
    this.operator.register(
        new UserPlans.OfJobResources(plans), controller -> configurePlans(controller, config));
    this.health = config.healthPort() < 0 ? null : serve(config.healthPort());
  }

  /// Starts an operator for the cluster that the environment names.
  public static PliantOperator start(OperatorConfig config) {
    return start(config, Config.autoConfigure(null));
  }

  /// Starts an operator for the cluster that `cluster` names. Returns when its caches are filled;
  /// with leader election, when it stands by.
  public static PliantOperator start(OperatorConfig config, Config cluster) {
    return start(config, cluster, () -> System.exit(1));
  }

  /// @param end what ends its process when another operator has taken the Lease
  static PliantOperator start(OperatorConfig config, Config cluster, Runnable end) {
    // By this name the API server keeps whose the fields are of what is created. It is set on the
    // very Config that was made: a copy would not know where to read a token anew.
    cluster.setUserAgent(JobReconciler.FIELD_MANAGER);
    // What fails is tried again by whoever wanted it, with other jobs' turns in between.
    cluster.setRequestRetryBackoffLimit(1);
    return start(config, SlimReading.connect(cluster), end);
  }

  private static PliantOperator start(OperatorConfig asked, KubernetesClient client, Runnable end) {
    OperatorConfig config = asked.withNamespaces(Namespaces.open(client, asked.namespaces()));
    PliantOperator operator = new PliantOperator(config, client, end);
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
        .withResourceCloner(new Uncopied())
        .withConcurrentReconciliationThreads(LOOKS_AT_ONCE)
        .withUseSSAToPatchPrimaryResource(true)
        .withCacheSyncTimeout(Duration.ofMinutes(2))
        .withReconciliationTerminationTimeout(Duration.ofSeconds(10));
    if (config.leaderElection()) {
      service.withLeaderElectionConfiguration(lease(config));
    }
  }

  /// Nobody here changes what a cache has: what is written is made anew. A copy for each look, by
  /// way of JSON, takes as long as the decision.
  private static final class Uncopied implements Cloner {
    @Override
    public <R extends HasMetadata> R clone(R cached) {
      return cached;
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
      end.run();
    }
  }

  private static void configure(
      ControllerConfigurationOverrider<ElasticJobResource> controller, OperatorConfig config) {
    configureAny(controller, config);
    controller.withRateLimiter(new LinearRateLimiter(BREATH, LOOKS_IN_A_BREATH));
    if (config.namespaces().size() <= 1) {
      controller.withItemStore(JobReconciler.store());
    }
  }

  private static void configurePlans(
      ControllerConfigurationOverrider<?> controller, OperatorConfig config) {
    configureAny(controller, config);
    controller.withLabelSelector(UserPlans.SELECTOR);
  }

  private static void configureAny(
      ControllerConfigurationOverrider<?> controller, OperatorConfig config) {
    controller.withRetry(
        new GenericRetry()
            .setInitialInterval(Duration.ofMillis(500))
            .setIntervalMultiplier(2)
            .setMaxInterval(60_000)
            .withoutMaxAttempts());
    if (config.namespaces().isEmpty()) {
      controller.watchingAllNamespaces();
    } else {
      controller.settingNamespaces(config.namespaces());
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
    if (!started.get() || operator.getRuntimeInfo().allEventSourcesAreHealthy()) {
      return null;
    }
    Map<String, Map<String, Boolean>> watches = new HashMap<>();
    operator
        .getRuntimeInfo()
        .getRegisteredControllers()
        .forEach(controller ->
            controller
                .getControllerHealthInfo()
                .informerEventSourceHealthIndicators()
                // Every controller calls its own watch the same.
                .forEach((source, health) ->
                    watches.put(
                        controller.getConfiguration().getName() + "/" + source, working(health))));
    return WatchHealth.sick(watches);
  }

  private static Map<String, Boolean> working(InformerWrappingEventSourceHealthIndicator<?> of) {
    Map<String, Boolean> working = new HashMap<>();
    of.informerHealthIndicators()
        .forEach((namespace, watch) -> working.put(namespace, watch.getStatus() == Status.HEALTHY));
    return working;
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

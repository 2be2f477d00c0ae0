package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How parts of the cluster of this machine are stopped, by the scripts of `e2e/cluster`
/// themselves: the parts are stand-ins.
class StopIT {
  private static final Duration BOUND = Duration.ofMinutes(1);

  /// Stops a part, while a second passes with each look at it.
  private static final String STOP =
      """
      set -euo pipefail
      . "$0"
      sleep() {
        SECONDS=$((SECONDS + 1))
        echo look >>"$cache/said"
      }
      stop "$1"
      """;

  @TempDir Path folder;

  private StandInCluster cluster;

  @BeforeEach
  void standIn() throws IOException {
    cluster = StandInCluster.in(folder);
    cluster.bringUp();
  }

  @AfterEach
  void endAll() {
    cluster.close();
  }

  private Commands.Result stop(String part) {
    return Commands.run(
        folder,
        cluster.environment(),
        BOUND,
        "bash",
        "-c",
        STOP,
        cluster.script("settings.sh").toString(),
        part);
  }

  private static void awaitEnd(Process part) {
    Awaitility.await("the part's end").until(() -> !part.isAlive());
  }

  @Test
  void aPartThatDoesNotEndIsKilled() throws IOException {
    Process scheduler = cluster.deafPart("scheduler");

    stop("scheduler").orThrow("stop");

    awaitEnd(scheduler);
    assertThat(cluster.said()).as("seconds that it was given").hasSizeBetween(1, 5);
  }

  @Test
  void whatEnforcesPoliciesHasTimeToTakeBackItsRules() throws IOException {
    Process policies = cluster.deafPart("network-policies");

    stop("network-policies").orThrow("stop");

    awaitEnd(policies);
    assertThat(cluster.said()).as("seconds that it was given").hasSizeBetween(30, 60);
  }

  @Test
  void rulesOfAnEnforcerThatWasKilledAreTakenBack() throws IOException {
    cluster.enforce();
    Process policies = cluster.deafPart("network-policies");

    stop("network-policies").orThrow("stop");

    awaitEnd(policies);
    assertThat(cluster.isOpen()).as("no rule is left").isTrue();
  }

  @Test
  void rulesThatCannotBeTakenBackAreSaid() throws IOException {
    cluster.enforce();
    Process policies = cluster.part("network-policies");
    cluster.breakFilter();

    Commands.Result said = stop("network-policies");

    awaitEnd(policies);
    assertThat(said.exit()).isEqualTo(1);
    assertThat(said.output()).contains("rules of NetworkPolicies may still be in force");
  }
}

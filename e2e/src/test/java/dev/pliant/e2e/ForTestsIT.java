package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whose the cluster of this machine is while tests run, by `e2e/cluster/for-tests` itself: the
/// cluster, and Mavens that want it, are stand-ins.
class ForTestsIT {
  /// More than Linux gives to any process.
  private static final int NOBODY = 4_194_305;

  /// For one call, of which none has much to do.
  private static final Duration BOUND = Duration.ofMinutes(1);

  @TempDir Path folder;

  private final List<Maven> mavens = new ArrayList<>();
  private StandInCluster cluster;

  @BeforeEach
  void standIn() throws IOException {
    cluster = StandInCluster.in(folder);
  }

  /// Whatever waits for a Maven's end does not outlive it.
  @AfterEach
  void endAll() {
    mavens.forEach(Maven::kill);
    cluster.close();
    Awaitility.await("the end of all that waits").until(() -> cluster.callsForTests() == 0);
  }

  @Test
  void whatWasStartedIsTakenDown() throws IOException {
    Maven maven = maven(Map.of());

    assertThat(maven.run("up")).isZero();
    assertThat(cluster.kubeconfig()).exists();

    assertThat(maven.run("down")).isZero();
    assertThat(cluster.said()).containsExactly("up", "down");
    assertThat(cluster.kubeconfig()).doesNotExist();
  }

  @Test
  void aClusterThatWasUpStaysAndHasNoOperatorForTheNextTests() throws IOException {
    cluster.bringUp();
    Files.writeString(state("installed"), "deployment.apps/pliant-operator\n");
    Maven maven = maven(Map.of());

    assertThat(maven.run("up")).isZero();
    assertThat(cluster.said()).containsExactly("up", "uninstall");
    assertThat(cluster.kubeconfig()).exists();

    assertThat(maven.run("down")).isZero();
    assertThat(cluster.said()).containsExactly("up", "uninstall");
    assertThat(state("run/used-by-tests")).doesNotExist();
  }

  @Test
  void theOneOfThisMachineIsThatByNameToo() throws IOException {
    assertThat(maven(Map.of()).run("up")).isZero();
    Files.writeString(state("installed"), "deployment.apps/pliant-operator\n");
    mavens.getFirst().run("down");
    cluster.bringUp();
    Path admin = Files.createFile(state("run/admin.kubeconfig"));

    assertThat(maven(Map.of("KUBECONFIG", admin.toString())).run("up")).isZero();

    assertThat(cluster.said()).containsExactly("up", "down", "up", "uninstall");
  }

  @Test
  void somebodysOwnClusterIsLeftAlone() throws IOException {
    Path own = Files.createFile(folder.resolve("config"));
    Maven maven = maven(Map.of("KUBECONFIG", own.toString()));

    assertThat(maven.run("up")).isZero();
    assertThat(cluster.kubeconfig().toRealPath()).isEqualTo(own.toRealPath());

    assertThat(maven.run("down")).isZero();
    assertThat(cluster.said()).isEmpty();
  }

  @Test
  void whatWasStartedEndsWithItsMavenHoweverThatEnds() throws IOException {
    Maven maven = maven(Map.of());
    assertThat(maven.run("up")).isZero();

    maven.kill();

    Awaitility.await("the cluster's end").until(() -> cluster.said().equals(List.of("up", "down")));
  }

  @Test
  void aHalfThatAKilledMavenLeftGoesFirst() throws IOException {
    cluster.bringUp();
    Files.writeString(state("run/used-by-tests"), NOBODY + " 1 started\n");

    assertThat(maven(Map.of()).run("up")).isZero();

    assertThat(cluster.said()).containsExactly("down", "up");
  }

  @Test
  void aSecondMavenWaitsForTheFirstAndTakesNothingFromIt() throws IOException {
    Maven first = maven(Map.of());
    assertThat(first.run("up")).isZero();

    Maven hasty = maven(Map.of("PLIANT_CLUSTER_WAIT_S", "0"));
    assertThat(hasty.run("up")).isEqualTo(1);
    assertThat(hasty.output()).contains("the tests of process " + first.pid() + " still have");
    assertThat(hasty.run("down")).isZero();
    assertThat(cluster.said()).containsExactly("up");

    Maven patient = maven(Map.of());
    patient.say("up");
    patient.awaitOutput("the tests of process " + first.pid() + " have the cluster");
    assertThat(first.run("down")).isZero();
    assertThat(patient.exit()).isZero();
    assertThat(cluster.said()).containsExactly("up", "down", "up");
  }

  @Test
  void nothingIsStartedForAMavenThatWasKilledWhileItWaited() throws IOException {
    Maven first = maven(Map.of());
    assertThat(first.run("up")).isZero();
    Maven second = maven(Map.of());
    second.say("up");
    second.awaitOutput("the tests of process " + first.pid() + " have the cluster");

    second.killAndWait();
    assertThat(first.run("down")).isZero();
    first.kill();

    Awaitility.await("the end of all calls").until(() -> cluster.callsForTests() == 0);
    assertThat(cluster.said()).containsExactly("up", "down");
  }

  @Test
  void partsThatKilledTestsHaveLeftInAClusterThatStaysAreStopped() throws IOException {
    cluster.bringUp();
    cluster.enforce();
    Process policies = cluster.part("network-policies");
    Process nodes = cluster.part("kwok");
    Maven maven = maven(Map.of());

    assertThat(maven.run("up")).isZero();

    assertThat(maven.output()).contains("policies are enforced", "nodes are simulated");
    Awaitility.await("the end of both").until(() -> !policies.isAlive() && !nodes.isAlive());
    assertThat(cluster.isOpen()).isTrue();
    assertThat(cluster.said()).containsExactly("up", "delete nodes");
  }

  @Test
  void partsOfAMavenThatIsKilledEndWithItInAClusterThatStays() throws IOException {
    cluster.bringUp();
    Maven maven = maven(Map.of());
    assertThat(maven.run("up")).isZero();
    cluster.enforce();
    Process policies = cluster.part("network-policies");

    maven.kill();

    Awaitility.await("the end of enforcement").until(() -> !policies.isAlive() && cluster.isOpen());
    assertThat(cluster.said()).containsExactly("up");
  }

  @Test
  void whereNoneCanBeStartedNothingIsLeftAndTestsAreLeftOut() throws IOException {
    Files.createFile(state("broken"));
    Maven laptop = maven(Map.of());

    assertThat(laptop.run("up")).isZero();
    assertThat(laptop.output()).contains("there is no go", "tests that need one are left out");
    assertThat(cluster.kubeconfig()).doesNotExist();
    assertThat(state("run")).doesNotExist();

    assertThat(maven(Map.of("CI", "true")).run("up")).isEqualTo(1);
    assertThat(cluster.said()).containsExactly("up", "down", "up", "down");
  }

  private Path state(String file) {
    return cluster.state().resolve(file);
  }

  private Maven maven(Map<String, String> environment) throws IOException {
    Map<String, String> all = new TreeMap<>(environment);
    all.putIfAbsent("KUBECONFIG", "");
    all.putIfAbsent("CI", "");
    all.putAll(cluster.environment());
    Path output = folder.resolve("maven-" + mavens.size());
    Maven maven = Maven.start(cluster.script("for-tests"), output, all);
    mavens.add(maven);
    return maven;
  }

  /// A process that calls the script when it is told to, and lives until it is killed.
  private record Maven(Process process, BufferedReader exits, Writer calls, Path saying) {
    static Maven start(Path script, Path saying, Map<String, String> environment)
        throws IOException {
      ProcessBuilder builder =
          new ProcessBuilder(
              "bash",
              "-c",
              "while read -r what; do \"$0\" $what >&2; echo $?; done",
              script.toString());
      builder.redirectError(saying.toFile()).environment().putAll(environment);
      Process process = builder.start();
      return new Maven(process, process.inputReader(), process.outputWriter(), saying);
    }

    long pid() {
      return process.pid();
    }

    int run(String what) throws IOException {
      say(what);
      return exit();
    }

    void say(String what) throws IOException {
      calls.write(what + "\n");
      calls.flush();
    }

    /// Reads elsewhere: an interrupt would not end it.
    int exit() {
      FutureTask<String> line = new FutureTask<>(exits::readLine);
      Thread.ofVirtual().start(line);
      try {
        return Integer.parseInt(String.valueOf(line.get(BOUND.toMillis(), TimeUnit.MILLISECONDS)));
      } catch (ExecutionException | InterruptedException | TimeoutException e) {
        throw new AssertionError("no end of what process " + pid() + " called", e);
      }
    }

    String output() throws IOException {
      return Files.readString(saying);
    }

    void awaitOutput(String words) {
      Awaitility.await(words).until(() -> output().contains(words));
    }

    void kill() {
      process.destroyForcibly();
    }

    void killAndWait() {
      kill();
      Awaitility.await("the end of process " + pid()).until(() -> !process.isAlive());
    }
  }
}

package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whose the cluster of this machine is while tests run, by `e2e/cluster/for-tests` itself: the
/// cluster, and Mavens that want it, are stand-ins.
class ForTestsIT {
  /// A cluster that is up is a file.
  private static final String UP =
      """
      #!/usr/bin/env bash
      . "$(dirname "$0")/settings.sh"
      echo up >>"$cache/said"
      mkdir -p "$run"
      touch "$run/half"
      [ ! -e "$cache/broken" ] || fail "there is no go"
      touch "$run/up" "$admin"
      """;

  private static final String DOWN =
      """
      #!/usr/bin/env bash
      . "$(dirname "$0")/settings.sh"
      echo down >>"$cache/said"
      rm -rf "$run"
      """;

  private static final String KUBE =
      """
      #!/usr/bin/env bash
      here=$(dirname "$0")
      case $* in
        *readyz*) [ -e "$here/run/up" ] ;;
        *" get deployments"*) cat "$here/installed" 2>/dev/null || true ;;
        *" delete -k "*) echo uninstall >>"$here/said"; rm "$here/installed" ;;
      esac
      """;

  /// More than Linux gives to any process.
  private static final int NOBODY = 4_194_305;

  private static final String ROOT = "#!/bin/sh\necho 0\n";

  @TempDir Path folder;

  private final List<Maven> mavens = new ArrayList<>();
  private Path cache = Path.of("");
  private Path scripts = Path.of("");

  @BeforeEach
  void standIn() throws IOException {
    cache = Files.createDirectories(folder.resolve("cache/pliant/kubernetes"));
    scripts = Files.createDirectories(folder.resolve("tree/e2e/cluster"));
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path real = Commands.root().resolve("e2e/cluster");
    for (String name : List.of("for-tests", "settings.sh")) {
      Files.copy(real.resolve(name), scripts.resolve(name));
    }
    program(scripts.resolve("up"), UP);
    program(scripts.resolve("down"), DOWN);
    program(cache.resolve("kube"), KUBE);
    program(bin.resolve("id"), ROOT);
  }

  /// Whatever waits for a Maven's end does not outlive it.
  @AfterEach
  void endAll() {
    mavens.forEach(Maven::kill);
    Awaitility.await("the end of all that waits").until(() -> waiting() == 0);
  }

  private long waiting() {
    return ProcessHandle.allProcesses()
        .filter(
            process -> process.info().commandLine().orElse("").contains(scripts + "/for-tests end"))
        .count();
  }

  @Test
  void whatWasStartedIsTakenDown() throws IOException {
    Maven maven = maven(Map.of());

    assertThat(maven.run("up")).isZero();
    assertThat(kubeconfig()).exists();

    assertThat(maven.run("down")).isZero();
    assertThat(said()).containsExactly("up", "down");
    assertThat(kubeconfig()).doesNotExist();
  }

  @Test
  void aClusterThatWasUpStaysAndHasNoOperatorForTheNextTests() throws IOException {
    Files.createFile(Files.createDirectories(cache.resolve("run")).resolve("up"));
    Files.writeString(cache.resolve("installed"), "deployment.apps/pliant-operator\n");
    Maven maven = maven(Map.of());

    assertThat(maven.run("up")).isZero();
    assertThat(said()).containsExactly("up", "uninstall");
    assertThat(kubeconfig()).exists();

    assertThat(maven.run("down")).isZero();
    assertThat(said()).containsExactly("up", "uninstall");
    assertThat(cache.resolve("run/used-by-tests")).doesNotExist();
  }

  @Test
  void theOneOfThisMachineIsThatByNameToo() throws IOException {
    assertThat(maven(Map.of()).run("up")).isZero();
    Files.writeString(cache.resolve("installed"), "deployment.apps/pliant-operator\n");
    mavens.getFirst().run("down");
    Files.createDirectories(cache.resolve("run"));
    Path admin = Files.createFile(cache.resolve("run/admin.kubeconfig"));
    Files.createFile(cache.resolve("run/up"));

    assertThat(maven(Map.of("KUBECONFIG", admin.toString())).run("up")).isZero();

    assertThat(said()).containsExactly("up", "down", "up", "uninstall");
  }

  @Test
  void somebodysOwnClusterIsLeftAlone() throws IOException {
    Path own = Files.createFile(folder.resolve("config"));
    Maven maven = maven(Map.of("KUBECONFIG", own.toString()));

    assertThat(maven.run("up")).isZero();
    assertThat(kubeconfig().toRealPath()).isEqualTo(own.toRealPath());

    assertThat(maven.run("down")).isZero();
    assertThat(said()).isEmpty();
  }

  @Test
  void whatWasStartedEndsWithItsMavenHoweverThatEnds() throws IOException {
    Maven maven = maven(Map.of());
    assertThat(maven.run("up")).isZero();

    maven.kill();

    Awaitility.await("the cluster's end").until(() -> said().equals(List.of("up", "down")));
  }

  @Test
  void aHalfThatAKilledMavenLeftGoesFirst() throws IOException {
    Files.createDirectories(cache.resolve("run"));
    Files.writeString(cache.resolve("run/used-by-tests"), NOBODY + " 1 started\n");
    Files.createFile(cache.resolve("run/up"));

    assertThat(maven(Map.of()).run("up")).isZero();

    assertThat(said()).containsExactly("down", "up");
  }

  @Test
  void aSecondMavenWaitsForTheFirstAndTakesNothingFromIt() throws IOException {
    Maven first = maven(Map.of());
    assertThat(first.run("up")).isZero();

    Maven hasty = maven(Map.of("PLIANT_CLUSTER_WAIT_S", "0"));
    assertThat(hasty.run("up")).isEqualTo(1);
    assertThat(hasty.output()).contains("the tests of process " + first.pid() + " still have");
    assertThat(hasty.run("down")).isZero();
    assertThat(said()).containsExactly("up");

    Maven patient = maven(Map.of());
    patient.say("up");
    patient.awaitOutput("the tests of process " + first.pid() + " have the cluster");
    assertThat(first.run("down")).isZero();
    assertThat(patient.exit()).isZero();
    assertThat(said()).containsExactly("up", "down", "up");
  }

  @Test
  void whereNoneCanBeStartedNothingIsLeftAndTestsAreLeftOut() throws IOException {
    Files.createFile(cache.resolve("broken"));
    Maven laptop = maven(Map.of());

    assertThat(laptop.run("up")).isZero();
    assertThat(laptop.output()).contains("there is no go", "tests that need one are left out");
    assertThat(kubeconfig()).doesNotExist();
    assertThat(cache.resolve("run")).doesNotExist();

    assertThat(maven(Map.of("CI", "true")).run("up")).isEqualTo(1);
    assertThat(said()).containsExactly("up", "down", "up", "down");
  }

  private Path kubeconfig() {
    return folder.resolve("tree/target/kubeconfig");
  }

  /// What was done to the cluster.
  private List<String> said() throws IOException {
    Path said = cache.resolve("said");
    return Files.exists(said) ? Files.readAllLines(said) : List.of();
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Maven maven(Map<String, String> environment) throws IOException {
    Map<String, String> all = new TreeMap<>(environment);
    all.putIfAbsent("KUBECONFIG", "");
    all.putIfAbsent("CI", "");
    all.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    all.put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    Path output = folder.resolve("maven-" + mavens.size());
    Maven maven = Maven.start(scripts.resolve("for-tests"), output, all);
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

    int exit() throws IOException {
      return Integer.parseInt(String.valueOf(exits.readLine()));
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
  }
}

package dev.pliant.benchmarks;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Tests that take a count: the build runs them with a small one, this with a large one. What is
/// measured is how long they took, with what was built for them; that they passed is the result.
final class LongProofs implements Measure {
  private static final Duration BOUND = Duration.ofHours(1);

  private static final List<Proof> PROOFS =
      List.of(
          new Proof(
              "interleavings of a rendezvous, each in one agreed world",
              "master",
              "RendezvousExplorerTest",
              "pliant.interleavings",
              100_000,
              1_000_000),
          new Proof(
              "kills -9 of a master under load, nothing lost",
              "e2e",
              "KilledMasterIT",
              "pliant.kills",
              20,
              200),
          new Proof(
              "events of chaos in a training, every record once",
              "e2e",
              "ChaosIT",
              "pliant.chaos",
              15,
              100));

  /// @param property how the test is told its count
  record Proof(String what, String module, String test, String property, int few, int many) {
    private static final Pattern RAN = Pattern.compile("<testsuite [^>]*\\btests=\"[1-9]");
    private static final Pattern SKIPPED = Pattern.compile("<testsuite [^>]*\\bskipped=\"[1-9]");

    int count(Plan plan) {
      return plan.full() ? many : few;
    }

    private boolean isIntegration() {
      return test.endsWith("IT");
    }

    /// No other test, no cluster, no summary of what other builds left behind.
    List<String> command(Path root, Plan plan) {
      var command = new ArrayList<String>();
      command.add(root.resolve("mvnw").toString());
      command.addAll(List.of("-q", "-f", root.resolve("pom.xml").toString()));
      command.addAll(List.of("-pl", module, "-am", "verify"));
      command.addAll(List.of("-Dspotless.check.skip=true", "-Dexec.skip=true"));
      command.add("-Dsurefire.failIfNoSpecifiedTests=false");
      command.add("-Dfailsafe.failIfNoSpecifiedTests=false");
      command.addAll(
          isIntegration()
              ? List.of("-Dtest=None", "-Dit.test=" + test)
              : List.of("-Dtest=" + test, "-DskipITs"));
      command.add("-D%s=%d".formatted(property, count(plan)));
      return command;
    }

    /// Whether the build's report says that the test ran and was not skipped. Reports of an earlier
    /// build are not this one's word: see [#forget].
    boolean isProved(Path root) throws IOException {
      for (Path report : reports(root)) {
        String text = Files.readString(report);
        if (RAN.matcher(text).find() && !SKIPPED.matcher(text).find()) {
          return true;
        }
      }
      return false;
    }

    void forget(Path root) throws IOException {
      for (Path report : reports(root)) {
        Files.delete(report);
      }
    }

    private List<Path> reports(Path root) throws IOException {
      Path folder =
          root.resolve(module)
              .resolve("target")
              .resolve(isIntegration() ? "failsafe-reports" : "surefire-reports");
      if (!Files.isDirectory(folder)) {
        return List.of();
      }
      try (Stream<Path> files = Files.list(folder)) {
        return files
            .filter(file -> file.getFileName().toString().matches("TEST-.*\\." + test + "\\.xml"))
            .toList();
      }
    }
  }

  @Override
  public String name() {
    return "proofs";
  }

  @Override
  public String what() {
    return "tests that take a count, with a large one: interleavings, kills, chaos";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var rows = new ArrayList<Row>();
    for (Proof proof : PROOFS) {
      Row row = run(bench, proof);
      bench.say("%s: %s", row.name(), row.failure() == null ? "passed" : row.failure());
      rows.add(row);
    }
    return rows;
  }

  private static Row run(Bench bench, Proof proof) throws IOException, InterruptedException {
    int count = proof.count(bench.plan());
    String name = "%,d %s".formatted(count, proof.what());
    Path log = bench.folder("proof").resolve("log");
    bench.say("%s: the log is %s", name, log);
    proof.forget(bench.root());
    long began = System.nanoTime();
    Process process =
        new ProcessBuilder(proof.command(bench.root(), bench.plan()))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(log.toFile()))
            .start();
    if (!process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)) {
      Child.killTree(process.toHandle());
      return Row.failed("proofs", name, "not over after %s: %s".formatted(BOUND, log));
    }
    if (process.exitValue() != 0) {
      return Row.failed("proofs", name, "failed: " + log);
    }
    if (!proof.isProved(bench.root())) {
      return Row.failed("proofs", name, "the build ran no %s: %s".formatted(proof.test(), log));
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return Row.of("proofs", name, "s", Series.of(seconds), Bar.none()).with("count", count);
  }
}

package dev.pliant.benchmarks;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Tests that take a count: the build runs them with a small one, this with a large one. What is
/// measured is how long they took; that they passed is the result.
final class LongProofs implements Measure {
  private static final Duration BOUND = Duration.ofHours(1);

  private static final List<Proof> PROOFS =
      List.of(
          new Proof(
              "interleavings of a rendezvous, each in one agreed world",
              "master",
              "-Dtest=RendezvousExplorerTest",
              "pliant.interleavings",
              100_000,
              1_000_000),
          new Proof(
              "kills -9 of a master under load, nothing lost",
              "e2e",
              "-Dit.test=KilledMasterIT",
              "pliant.kills",
              20,
              200),
          new Proof(
              "events of chaos in a training, every record once",
              "e2e",
              "-Dit.test=ChaosIT",
              "pliant.chaos",
              15,
              100));

  /// @param choice how the build is told to run this test
  /// @param property how the test is told its count
  private record Proof(
      String what, String module, String choice, String property, int few, int many) {
    int count(Plan plan) {
      return plan.full() ? many : few;
    }

    List<String> command(Path root, Plan plan) {
      var command =
          new ArrayList<>(
              List.of(
                  root.resolve("mvnw").toString(),
                  "-q",
                  "-f",
                  root.resolve("pom.xml").toString(),
                  "-pl",
                  module,
                  "-am",
                  "verify",
                  "-Dspotless.check.skip=true",
                  "-Dsurefire.failIfNoSpecifiedTests=false",
                  "-Dfailsafe.failIfNoSpecifiedTests=false",
                  "-D%s=%d".formatted(property, count(plan)),
                  choice));
      command.add(choice.startsWith("-Dtest=") ? "-DskipITs" : "-Dtest=None");
      return command;
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
    var build =
        new ProcessBuilder(proof.command(bench.root(), bench.plan()))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(log.toFile()));
    build.environment().put("CI", "true"); // A test that is skipped proves nothing.
    long began = System.nanoTime();
    Process process = build.start();
    if (!process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)) {
      Child.killTree(process.toHandle());
      return Row.failed("proofs", name, "not over after %s: %s".formatted(BOUND, log));
    }
    if (process.exitValue() != 0) {
      return Row.failed("proofs", name, "failed: " + log);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return Row.of("proofs", name, "s", Series.of(seconds), Bar.none()).with("count", count);
  }
}

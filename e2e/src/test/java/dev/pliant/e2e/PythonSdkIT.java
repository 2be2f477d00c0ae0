package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The Python package: its tests against the fake and the real agent, and its style.
@Timeout(value = 45, unit = TimeUnit.MINUTES) // On a machine that has to fetch PyTorch first.
class PythonSdkIT {
  private static final Duration BOUND = Duration.ofMinutes(15);

  private final Path python = Commands.root().resolve("python");
  private final Path requirements = python.resolve("requirements-dev.txt");

  @Test
  void worksWithPyTorchAgainstTheRealAgent() throws IOException {
    Optional<Path> torch = Pythons.withTorch();
    Needs.that(
        torch.isPresent(), "a Python that imports torch (Debian: apt-get install python3-torch)");
    String result = test(Pythons.environment(torch.orElseThrow(), requirements));
    assertThat(result).as("with PyTorch there is nothing to skip").doesNotContain("skipped");
  }

  @Test
  void worksOnTheOldestPythonItPromises() throws IOException {
    Optional<Path> oldest = Pythons.ofVersion("3.9");
    Needs.that(oldest.isPresent(), "a Python 3.9");
    String unused =
        test(
            Pythons.environment(oldest.orElseThrow(), requirements),
            "--ignore=tests/test_torch.py");
  }

  /// Returns the line with which pytest sums up.
  private String test(Path environment, String... more) {
    String[] command =
        java.util.stream.Stream.concat(
                java.util.stream.Stream.of(
                    environment.toString(), "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                java.util.stream.Stream.of(more))
            .toArray(String[]::new);
    Commands.Result result = Commands.run(python, environment(), BOUND, command).orThrow("pytest");
    String summary = result.output().strip().lines().reduce("", (_, last) -> last);
    System.out.println(summary);
    return summary;
  }

  private static Map<String, String> environment() {
    String cluster = String.join(" ", Commands.java("dev.pliant.e2e.TestCluster").command());
    return Map.of("PLIANT_TEST_CLUSTER", cluster, "CI", "true", "PYTHONDONTWRITEBYTECODE", "1");
  }

  @Test
  void isTypedAndTidy() throws IOException {
    Optional<Path> any = Pythons.ofVersion("3.9").or(() -> Pythons.ofVersion("3"));
    Needs.that(any.isPresent(), "a Python 3");
    String in = Pythons.environment(any.orElseThrow(), requirements).toString();
    String config = "--config=pyproject.toml";
    run(in, "-m", "ruff", "check", "--no-cache", config, ".", "../examples");
    run(in, "-m", "ruff", "format", "--no-cache", "--check", config, ".", "../examples");
    run(in, "-m", "mypy", "--no-incremental");
  }

  private void run(String... command) {
    Commands.run(python, Map.of(), BOUND, command).orThrow(String.join(" ", command));
  }
}

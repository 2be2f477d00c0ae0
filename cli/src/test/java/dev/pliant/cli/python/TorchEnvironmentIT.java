package dev.pliant.cli.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pliant.model.PliantException;
import dev.pliant.testing.Debian;
import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A virtual environment with packages from a folder in the place of PyPI, under the names of the
/// real ones.
@Timeout(300)
final class TorchEnvironmentIT {
  @TempDir Path folder;
  private final List<String> said = new ArrayList<>();
  private final Notices notices =
      new Notices() {
        @Override
        public void say(String line) {
          said.add(line);
        }

        @Override
        public void progress(String line) {
          said.add(line);
        }
      };

  private Path python = Path.of("");
  private Path cache = Path.of("");

  @BeforeEach
  void findAPythonThatMakesEnvironments() throws Exception {
    Optional<Path> found =
        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
            .map(entry -> Path.of(entry, "python3"))
            .filter(Files::isExecutable)
            .findFirst();
    Needs.that(found.isPresent(), "a python3 on the PATH");
    python = found.orElseThrow();
    if (!makesEnvironments()) {
      Debian.install("python3-venv");
    }
    Needs.that(
        makesEnvironments(),
        "a python3 that makes virtual environments (Debian: apt-get install python3-venv)");
    cache = Files.createDirectory(folder.resolve("cache"));
  }

  private boolean makesEnvironments() throws IOException, InterruptedException {
    return new ProcessBuilder(python.toString(), "-c", "import ensurepip, venv").start().waitFor()
        == 0;
  }

  @Test
  void isMadeOnceAndFoundAgain() throws IOException {
    Path wheels = Files.createDirectory(folder.resolve("wheels"));
    wheel(wheels, "numpy", "1.0");
    wheel(wheels, "torch", "9.9");
    Map<String, String> from = from(wheels);

    Path made = TorchEnvironment.make(cache, python, from, notices);

    PythonProbe probe = new PythonProbe(cache, folder, Map.of());
    assertThat(probe.ask(made).torch()).contains("9.9");
    assertThat(TorchEnvironment.ready(cache)).containsExactly(made);
    assertThat(said).anyMatch(line -> line.startsWith("making a virtual environment · "));
    said.clear();
    assertThat(TorchEnvironment.make(cache, python, from, notices)).isEqualTo(made);
    assertThat(said).isEmpty();
  }

  @Test
  void saysWhatTheInstallerSaidAndGoesOnWhenCalledAgain() throws IOException {
    Path wheels = Files.createDirectory(folder.resolve("wheels"));
    wheel(wheels, "numpy", "1.0");
    Map<String, String> from = from(wheels);

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> TorchEnvironment.make(cache, python, from, notices))
        .withMessageStartingWith("installing PyTorch failed; '")
        .withMessageContaining("No matching distribution found for torch");
    assertThat(TorchEnvironment.ready(cache)).isEmpty();

    wheel(wheels, "torch", "9.9");
    assertThat(TorchEnvironment.make(cache, python, from, notices)).isExecutable();
    assertThat(TorchEnvironment.ready(cache)).hasSize(1);
  }

  private static Map<String, String> from(Path wheels) {
    return Map.of("PIP_NO_INDEX", "1", "PIP_FIND_LINKS", wheels.toString());
  }

  private static void wheel(Path wheels, String name, String version) throws IOException {
    String info = "%s-%s.dist-info/".formatted(name, version);
    Path file = wheels.resolve("%s-%s-py3-none-any.whl".formatted(name, version));
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      entry(zip, name + "/__init__.py", "__version__ = '%s'\n".formatted(version));
      entry(
          zip,
          info + "METADATA",
          "Metadata-Version: 2.1\nName: %s\nVersion: %s\n".formatted(name, version));
      entry(
          zip,
          info + "WHEEL",
          "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
      entry(
          zip,
          info + "RECORD",
          "%s/__init__.py,,\n%sMETADATA,,\n%sWHEEL,,\n%sRECORD,,\n"
              .formatted(name, info, info, info));
    }
  }

  private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(text.getBytes(StandardCharsets.UTF_8));
    zip.closeEntry();
  }
}

package dev.pliant.e2e;

import dev.pliant.testing.Debian;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/// The Pythons of this machine, and virtual environments under the cache folder.
final class Pythons {
  private static final Duration INSTALL = Duration.ofMinutes(10);

  private static final Path DEBIAN = Path.of("/usr/bin/python3");

  private Pythons() {}

  /// Torch, and what virtual environments are made by: Debian has them in packages of their own.
  private static final String NEEDED = "torch, ensurepip";

  /// A Python that imports torch; where there is none, Debian's, installed if that can be done
  /// here.
  static Optional<Path> withTorch() {
    return onPath("python3").filter(python -> imports(python, NEEDED)).or(Pythons::debianWithTorch);
  }

  /// Debian's own Python with torch, installed if that can be done here.
  static Optional<Path> debianWithTorch() {
    if (imports(DEBIAN, NEEDED)) {
      return Optional.of(DEBIAN);
    }
    try {
      Debian.install("python3-torch", "python3-venv");
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    return Optional.of(DEBIAN).filter(python -> imports(python, NEEDED));
  }

  /// A Python of that version, from the PATH or as pyenv keeps them.
  static Optional<Path> ofVersion(String version) {
    Optional<Path> found = onPath("python" + version).filter(p -> works(p, version));
    if (found.isPresent()) {
      return found;
    }
    Path pyenv = Path.of(System.getProperty("user.home"), ".pyenv", "versions");
    if (!Files.isDirectory(pyenv)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(pyenv)) {
      return versions
          .filter(folder -> folder.getFileName().toString().startsWith(version + "."))
          .map(folder -> folder.resolve("bin/python3"))
          .filter(Files::isExecutable)
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// A virtual environment of `python` with what a requirements file names; made once.
  static Path environment(Path python, Path requirements) throws IOException {
    CRC32C crc = new CRC32C();
    crc.update(Files.readAllBytes(requirements));
    crc.update(python.toString().getBytes(StandardCharsets.UTF_8));
    Path cache =
        Path.of(
            System.getenv()
                .getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache"));
    Path folder = cache.resolve("pliant/python-tests-%08x".formatted(crc.getValue()));
    Path ready = folder.resolve("ready");
    if (!Files.exists(ready)) {
      System.out.println("making a virtual environment of " + python + " in " + folder + " …");
      Path home = Path.of("/");
      Commands.run(
              home,
              Map.of(),
              INSTALL,
              python.toString(),
              "-m",
              "venv",
              "--clear",
              "--system-site-packages",
              folder.toString())
          .orThrow("making a virtual environment (Debian: apt-get install python3-venv)");
      Commands.run(
              home,
              Map.of(),
              INSTALL,
              folder.resolve("bin/python").toString(),
              "-m",
              "pip",
              "install",
              "--quiet",
              "-r",
              requirements.toAbsolutePath().toString())
          .orThrow("pip install -r " + requirements);
      Files.createFile(ready);
    }
    return folder.resolve("bin/python");
  }

  private static Optional<Path> onPath(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
      Path file = Path.of(folder, name);
      if (!folder.isEmpty() && Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  private static boolean imports(Path python, String module) {
    return Files.isExecutable(python)
        && Commands.run(
                    Path.of("/"),
                    Map.of(),
                    Duration.ofMinutes(1),
                    python.toString(),
                    "-c",
                    "import " + module)
                .exit()
            == 0;
  }

  private static boolean works(Path python, String version) {
    return Commands.run(
            Path.of("/"), Map.of(), Duration.ofMinutes(1), python.toString(), "--version")
        .output()
        .contains("Python " + version + ".");
  }
}

package dev.pliant.cli.python;

import dev.pliant.cli.python.TorchChoice.Python;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The Pythons of this machine. Finds the one that a job's command means, or one that has what the
/// job's script needs, and gets it where there is none.
public final class Pythons {
  private static final Path DEBIAN = Path.of("/usr/bin/python3");

  private final Map<String, String> inherited;
  private final Path home;
  private final Notices notices;

  /// @param inherited the environment of this process
  public Pythons(Map<String, String> inherited, Path home, Notices notices) {
    this.inherited = Map.copyOf(inherited);
    this.home = home;
    this.notices = notices;
  }

  /// `$XDG_CACHE_HOME/pliant`, by default below `~/.cache`.
  Path cache() {
    String given = inherited.getOrDefault("XDG_CACHE_HOME", "");
    Path base = Path.of(given).isAbsolute() ? Path.of(given) : home.resolve(".cache");
    return base.resolve("pliant");
  }

  /// The interpreter for `command`, which runs in `folder`.
  ///
  /// @param environment what the job adds to the environment
  /// @throws PliantException where there is none and none can be got
  public Path provide(
      PythonCommand command, Imports imports, Path folder, Map<String, String> environment) {
    String path = environment.getOrDefault("PATH", inherited.getOrDefault("PATH", ""));
    Optional<Path> wanted = find(command.interpreter(), folder, path);
    return imports.torch()
        ? withTorch(command, wanted, folder, path, environment)
        : wanted.orElseGet(() -> anyPython(command, path));
  }

  private Path anyPython(PythonCommand command, String path) {
    if (command.anyPython()) {
      Optional<Path> other = others(path).stream().findFirst();
      if (other.isPresent()) {
        notices.say(
            "there is no '%s' on the PATH; %s is used"
                .formatted(command.interpreter(), other.get()));
        return other.get();
      }
      if (PackageInstall.possible()) {
        notices.say("there is no Python here; installing Debian's python3");
        PackageInstall.run(List.of("python3"), notices);
        return DEBIAN;
      }
    }
    throw new PliantException(
        ErrorCode.BAD_JOB_FILE,
        "there is no Python '%s' here (the PATH is %s); install Python 3.9 or newer, for instance with 'apt-get install python3'."
            .formatted(command.interpreter(), path));
  }

  private Path withTorch(
      PythonCommand command,
      Optional<Path> wanted,
      Path folder,
      String path,
      Map<String, String> environment) {
    PythonProbe probe = new PythonProbe(cache(), folder, environment);
    Optional<Python> asked = wanted.map(probe::ask);
    List<Python> others = new ArrayList<>();
    if (asked.flatMap(Python::torch).isEmpty() && command.anyPython()) {
      for (Path candidate : others(path)) {
        Python other = probe.ask(candidate);
        others.add(other);
        if (other.torch().isPresent()) {
          break;
        }
      }
    }
    boolean packages = PackageInstall.possible();
    TorchChoice choice =
        TorchChoice.decide(command.interpreter(), asked, command.anyPython(), others, packages);
    return switch (choice) {
      case TorchChoice.Use(Python python) -> {
        if (!Optional.of(python.path()).equals(wanted)) {
          notices.say(
              "%s, so the workers run on %s, with PyTorch %s"
                  .formatted(lack(command, wanted), python.path(), python.torch().orElse("")));
        }
        yield python.path();
      }
      case TorchChoice.InstallPackage() -> {
        notices.say(
            lack(command, wanted) + "; installing Debian's python3-torch (2 minutes, once)");
        PackageInstall.run(List.of("python3-torch", "python3-numpy"), notices);
        yield checked(probe.ask(DEBIAN));
      }
      case TorchChoice.MakeEnvironment(Path base) -> {
        notices.say(
            lack(command, wanted)
                + "; making a virtual environment with it in %s (some minutes, once)"
                    .formatted(cache()));
        yield checked(probe.ask(TorchEnvironment.make(cache(), base, Map.of(), notices)));
      }
      case TorchChoice.Impossible(String why) ->
          throw new PliantException(ErrorCode.BAD_JOB_FILE, why);
    };
  }

  private static String lack(PythonCommand command, Optional<Path> wanted) {
    return wanted
        .map(python ->
            "the script imports PyTorch, which %s (%s) does not have"
                .formatted(command.interpreter(), python))
        .orElse(
            "the script imports PyTorch, and there is no '%s' on the PATH"
                .formatted(command.interpreter()));
  }

  private static Path checked(Python python) {
    if (python.torch().isEmpty()) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "PyTorch was installed, but %s still cannot import it; see '%s -c \"import torch\"'."
              .formatted(python.path(), python.path()));
    }
    return python.path();
  }

  /// Others of this machine, the likelier ones first: environments of ours, those on the PATH, the
  /// system's, pyenv's.
  private List<Path> others(String path) {
    Set<Path> found = new LinkedHashSet<>(TorchEnvironment.ready(cache()));
    Stream.concat(
            Arrays.stream(path.split(":")).filter(entry -> !entry.isEmpty()),
            Stream.of("/usr/bin", "/usr/local/bin", "/opt/conda/bin"))
        .flatMap(entry -> Stream.of(Path.of(entry, "python3"), Path.of(entry, "python")))
        .filter(Pythons::runnable)
        .forEach(found::add);
    try (Stream<Path> versions = Files.list(home.resolve(".pyenv/versions"))) {
      versions
          .map(version -> version.resolve("bin/python3"))
          .filter(Pythons::runnable)
          .sorted()
          .forEach(found::add);
    } catch (IOException e) {
      // No pyenv.
    }
    return List.copyOf(found);
  }

  private static Optional<Path> find(String interpreter, Path folder, String path) {
    if (interpreter.contains("/")) {
      return Optional.of(folder.resolve(interpreter)).filter(Pythons::runnable);
    }
    return Arrays.stream(path.split(":"))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> folder.resolve(entry).resolve(interpreter))
        .filter(Pythons::runnable)
        .findFirst();
  }

  private static boolean runnable(Path file) {
    return Files.isExecutable(file) && !Files.isDirectory(file);
  }
}

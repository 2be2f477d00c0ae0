package dev.pliant.cli.python;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// How a job gets a Python that imports PyTorch.
sealed interface TorchChoice {
  /// One that is here.
  record Use(Python python) implements TorchChoice {}

  /// Debian's package, for Debian's Python.
  record InstallPackage() implements TorchChoice {}

  /// A virtual environment of `base`.
  record MakeEnvironment(Path base) implements TorchChoice {}

  /// Not at all; `why` is a sentence that says what to do.
  record Impossible(String why) implements TorchChoice {}

  /// A Python of this machine.
  ///
  /// @param torch the version of PyTorch that it imports, empty where it imports none
  record Python(Path path, Optional<String> torch) {}

  /// What is nearest comes first: the Python that was meant, another one of this machine, Debian's
  /// package, an environment of our own.
  ///
  /// @param wanted the Python that the job's command names, empty where there is none of that name
  /// @param free whether the command leaves it to the machine which Python it is
  /// @param others further ones of this machine
  /// @param packages whether Debian's packages can be installed here
  static TorchChoice decide(
      String name, Optional<Python> wanted, boolean free, List<Python> others, boolean packages) {
    if (wanted.isPresent() && wanted.get().torch().isPresent()) {
      return new Use(wanted.get());
    }
    if (!free) {
      return new Impossible(
          wanted.isEmpty()
              ? "there is no Python '%s' here; write 'python3', and one is found or got."
                  .formatted(name)
              : "the job needs PyTorch, and '%s' has none; install it there ('%s -m pip install torch'), or write 'python3', and a Python with PyTorch is found or got."
                  .formatted(name, name));
    }
    for (Python other : others) {
      if (other.torch().isPresent()) {
        return new Use(other);
      }
    }
    if (packages) {
      return new InstallPackage();
    }
    return wanted
        .or(() -> others.stream().findFirst())
        .<TorchChoice>map(base -> new MakeEnvironment(base.path()))
        .orElseGet(() ->
            new Impossible(
                "there is no Python here, and without root and apt none can be got; install Python 3.9 or newer."));
  }
}

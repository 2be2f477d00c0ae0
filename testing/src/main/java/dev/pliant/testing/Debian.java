package dev.pliant.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Packages of Debian, which root may install.
public final class Debian {
  private static final int BOUND_MINUTES = 10;

  private Debian() {}

  /// Installs what it can; whoever needs it looks whether it is there.
  public static synchronized void install(String... packages)
      throws IOException, InterruptedException {
    if (!Needs.root() || !Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
      return;
    }
    System.out.println("installing Debian's " + String.join(", ", packages) + " …");
    List<String> install = new ArrayList<>(List.of("install", "-y", "--no-install-recommends"));
    install.addAll(List.of(packages));
    if (apt(List.of("update"))) {
      boolean unused = apt(install);
    }
  }

  private static boolean apt(List<String> arguments) throws IOException, InterruptedException {
    // One hiccup of the network is no reason to give up.
    List<String> command = new ArrayList<>(List.of("apt-get", "-qq", "-oAcquire::Retries=3"));
    command.addAll(arguments);
    Path said = Files.createTempFile("apt-get", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .redirectInput(Path.of("/dev/null").toFile());
      builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
      Process process = builder.start();
      boolean ended = process.waitFor(BOUND_MINUTES, TimeUnit.MINUTES);
      if (!ended) {
        process.destroyForcibly();
      }
      boolean done = ended && process.exitValue() == 0;
      if (!done) {
        System.out.println(String.join(" ", command) + " failed:\n" + Files.readString(said));
      }
      return done;
    } finally {
      Files.delete(said);
    }
  }
}

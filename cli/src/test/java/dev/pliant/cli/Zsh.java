package dev.pliant.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The other shell: this machine's, or Debian's package, which root may install.
final class Zsh {
  private static final Path SHELL = Path.of("/usr/bin/zsh");
  private static final int BOUND_MINUTES = 5;
  private static final String RETRIES = "-oAcquire::Retries=3";

  private Zsh() {}

  static synchronized boolean isThere() throws IOException, InterruptedException {
    boolean root = "root".equals(System.getProperty("user.name"));
    if (!Files.exists(SHELL) && root && Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
      System.out.println("installing Debian's zsh …");
      boolean unused =
          run("apt-get", RETRIES, "update", "-qq")
              && run("apt-get", RETRIES, "install", "-qq", "-y", "--no-install-recommends", "zsh");
    }
    return Files.isExecutable(SHELL);
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(List.of(command));
    builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    if (!process.waitFor(BOUND_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }
}

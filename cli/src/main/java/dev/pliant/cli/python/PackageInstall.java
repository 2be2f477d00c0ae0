package dev.pliant.cli.python;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Debian's packages.
final class PackageInstall {
  private static final Map<String, String> QUIET = Map.of("DEBIAN_FRONTEND", "noninteractive");
  private static final Path APT = Path.of("/usr/bin/apt-get");

  private PackageInstall() {}

  /// Whether packages can be installed here: there is apt, and this is root.
  static boolean possible() {
    return Files.isExecutable(APT) && "root".equals(System.getProperty("user.name"));
  }

  static void run(List<String> packages, Notices notices) {
    Installer installer = new Installer(notices);
    String what = "installing " + packages.getFirst();
    installer.run(what, QUIET, line -> line, List.of(APT.toString(), "update"));
    List<String> install =
        new ArrayList<>(List.of(APT.toString(), "install", "-y", "--no-install-recommends"));
    install.addAll(packages);
    installer.run(what, QUIET, PackageInstall::wording, install);
  }

  /// Of the lines of apt those that say what is being done.
  private static String wording(String line) {
    return line.startsWith("(Reading")
        ? ""
        : line.replaceFirst("^Get:(\\d+) \\S+ ", "download $1: ");
  }
}

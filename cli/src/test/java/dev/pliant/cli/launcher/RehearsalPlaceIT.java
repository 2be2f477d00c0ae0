package dev.pliant.cli.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Where the launcher's rehearsals are: else those of somebody whose jobs are in a cluster would
/// rehearse refusals, and ask that cluster for its jobs.
@Timeout(60)
final class RehearsalPlaceIT {
  private static final Path LAUNCHER = Path.of("").toAbsolutePath().resolveSibling("pliant");

  /// Calls the launcher's function with another program in Java's place.
  private static final String PROGRAM =
      """
      set -euo pipefail
      eval "$(sed -n '/^make_caches()/,/^[})]$/p' "$1")"
      java=$2/java build=$2 classpath=none root=none jvm=(-Dnone)
      make_caches
      echo "$PLIANT_ON $PLIANT_PLUGIN"
      """;

  @TempDir Path folder;

  @Test
  void isNotWhereTheUsersJobsAre() throws Exception {
    Files.createFile(folder.resolve("agent.classpath"));
    Path java =
        Files.writeString(
            folder.resolve("java"),
            """
            #!/bin/sh
            echo "on '$PLIANT_ON' by '$PLIANT_PLUGIN'" >>"${0%/*}/seen"
            """);
    assertThat(java.toFile().setExecutable(true)).isTrue();

    assertThat(launch()).isEqualTo("kubernetes kubectl\n");

    assertThat(Files.readAllLines(folder.resolve("seen"))).hasSize(5).containsOnly("on '' by ''");
  }

  private String launch() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of("bash", "-c", PROGRAM, "bash", LAUNCHER.toString(), folder.toString()))
            .redirectErrorStream(true);
    builder.environment().putAll(Map.of("PLIANT_ON", "kubernetes", "PLIANT_PLUGIN", "kubectl"));
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }
}

package dev.pliant.master.platform.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogEndTest {
  @TempDir Path folder;

  @Test
  void showsTheLastLinesOfALongLog() throws IOException {
    Path log = folder.resolve("worker-0.log");
    Files.writeString(
        log,
        IntStream.range(0, 100_000)
            .mapToObj(i -> "line " + i)
            .collect(Collectors.joining("\n", "", "\n\n")));

    assertThat(LogEnd.of(log)).hasSize(10).startsWith("line 99990").endsWith("line 99999");
  }

  @Test
  void aLineWithoutEndAndBytesThatAreNoTextAreBounded() throws IOException {
    Path log = folder.resolve("worker-0.log");
    byte[] bytes = new byte[1 << 20];
    java.util.Arrays.fill(bytes, (byte) 0xff);
    Files.write(log, bytes);

    assertThat(LogEnd.of(log)).hasSize(1);
    assertThat(LogEnd.of(log).getFirst()).hasSizeLessThanOrEqualTo(3_000);
  }

  @Test
  void noLogHasNoLines() {
    assertThat(LogEnd.of(folder.resolve("none"))).isEmpty();
  }
}

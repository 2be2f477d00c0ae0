package dev.pliant.agent.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogTailTest {
  @TempDir Path folder;

  @Test
  void showsTheEndOfALog() throws IOException {
    LogTail tail = new LogTail(12, 16 << 10);
    assertThat(tail.of(folder.resolve("absent"))).isEmpty();

    Path log = folder.resolve("log");
    Files.writeString(log, "one\ntwo\n");
    assertThat(tail.of(log)).containsExactly("one", "two");

    Files.writeString(log, "a line\n".repeat(10_000) + "the last\n");
    assertThat(tail.of(log)).hasSize(12).endsWith("a line", "the last").contains("a line");
  }

  @Test
  void leavesOutALineWhoseBeginningIsNotRead() throws IOException {
    Path log = Files.writeString(folder.resolve("log"), "a long line\nshort\n");

    assertThat(new LogTail(5, 10).of(log)).containsExactly("short");
  }
}

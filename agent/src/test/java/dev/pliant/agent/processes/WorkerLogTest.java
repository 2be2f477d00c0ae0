package dev.pliant.agent.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerLogTest {
  @TempDir Path folder;

  private void follow(Path file, long maxBytes, String... printed) {
    SequenceInputStream in =
        new SequenceInputStream(
            java.util.Collections.enumeration(
                java.util.Arrays.stream(printed)
                    .map(text -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                    .toList()));
    new WorkerLog(file, maxBytes, Optional.empty()).follow(in);
    assertThat(in).as("read to its end").isEmpty();
  }

  @Test
  void keepsWhatIsPrinted() {
    Path file = folder.resolve("w-0.log");
    follow(file, 1_000, "one\ntw", "o\n\nthree ü");
    assertThat(file).hasContent("one\ntwo\n\nthree ü");
  }

  @Test
  void fullFileIsSetAsideOnce() throws Exception {
    Path file = folder.resolve("w-0.log");
    follow(file, 10, "11111111\n", "22222222\n", "33333333\n");
    assertThat(file).hasContent("33333333\n");
    assertThat(folder.resolve("w-0.log.1")).hasContent("22222222\n");
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void goesOnWithTheFileOfAnEarlierLife() {
    Path file = folder.resolve("w-0.log");
    follow(file, 100, "before\n");
    follow(file, 100, "after\n");
    assertThat(file).hasContent("before\nafter\n");
  }

  @Test
  void readsOnWhenTheFileCannotBeWritten() {
    follow(folder.resolve("missing/w-0.log"), 100, "one\n", "two\n");
    assertThat(folder.resolve("missing")).doesNotExist();
  }
}

package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShellWordTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "job.yaml, job.yaml",
        "/a/b-c_d@1:2.yaml, /a/b-c_d@1:2.yaml",
        "my job.yaml, 'my job.yaml'",
        "$HOME/job.yaml, '$HOME/job.yaml'",
        "ann's.yaml, 'ann'\\''s.yaml'",
        "\"\", ''"
      })
  void isTakenForOneWord(String text, String want) {
    assertThat(ShellWord.quoted(text)).isEqualTo(want);
  }
}

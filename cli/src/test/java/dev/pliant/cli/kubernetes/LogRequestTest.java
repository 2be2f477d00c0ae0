package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LogRequestTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "404 | {\"kind\":\"Status\",\"message\":\"pods w-0 not found\",\"code\":404} | pods w-0 not found",
        "503 | {\"kind\":\"Status\",\"message\":\"it starts\"} | it starts",
        "429 | Too many requests, please try again later. | Too many requests, please try again later.",
        "504 | {\"error\":\"late\"} | {\"error\":\"late\"}",
        "502 | {not a form of ours | {not a form of ours",
        "500 | `` | it answers with code 500",
      })
  void knowsWhatIsRefusedInWhateverWords(int code, String said, String want) {
    Status refusal = LogRequest.refusal(code, said);

    assertThat(refusal.getCode()).isEqualTo(code);
    assertThat(refusal.getMessage()).isEqualTo(want);
  }
}

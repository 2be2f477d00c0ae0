package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class LogTroubleTest {
  @ParameterizedTest
  @CsvSource({
    "401, REFUSED",
    "403, REFUSED",
    "404, GONE",
    "429, BUSY",
    "503, BUSY",
    "400, UNREADABLE",
    "500, UNREADABLE",
    "502, UNREADABLE"
  })
  void knowsByTheServersAnswer(int code, LogTrouble want) {
    KubernetesClientException fault =
        new KubernetesClientException(new StatusBuilder().withCode(code).withMessage("no").build());

    assertThat(LogTrouble.of(fault)).isEqualTo(want);
  }

  static Stream<Arguments> unanswered() {
    return Stream.of(
        arguments(new ConnectException("refused"), LogTrouble.AWAY),
        arguments(new HttpTimeoutException("late"), LogTrouble.UNREADABLE),
        arguments(new IOException("cut"), LogTrouble.UNREADABLE));
  }

  @ParameterizedTest
  @MethodSource("unanswered")
  void knowsByWhatKeptAnAnswerFromComing(IOException cause, LogTrouble want) {
    assertThat(LogTrouble.of(new KubernetesClientException("no", cause))).isEqualTo(want);
  }
}

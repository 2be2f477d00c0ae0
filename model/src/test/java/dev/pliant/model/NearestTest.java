package dev.pliant.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestTest {
  private static final List<String> KNOWN =
      List.of("replicas", "minReplicas", "maxReplicas", "restartCount", "template");

  @ParameterizedTest(name = "{0} is meant as {1}")
  @CsvSource({
    "replica, replicas",
    "Replicas, replicas",
    "relpicas, replicas",
    "min_replicas, minReplicas",
    "max-replicas, maxReplicas",
    "restartcount, restartCount",
    "templates, template",
  })
  void findsWhatWasMeant(String word, String want) {
    assertThat(Nearest.to(word, KNOWN)).contains(want);
  }

  @ParameterizedTest
  @CsvSource({"image", "x", "nodeSelector"})
  void findsNothingWhereNothingIsNear(String word) {
    assertThat(Nearest.to(word, KNOWN)).isEmpty();
  }
}

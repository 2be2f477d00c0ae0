package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultTest {
  private static final Machine MACHINE =
      new Machine(2, "a processor", 24_000, "Linux 6", "25", "ext4", 0.1);

  private static Result result(Row... rows) {
    return new Result(
        Instant.parse("2026-01-02T03:04:05Z"),
        Duration.ofMinutes(9),
        "abc",
        MACHINE,
        Plan.quickForm(),
        List.of(rows));
  }

  private static final Row LEASE =
      Row.of("lease", "lease, 32 callers", "calls/s", Series.of(7_000, 8_000), Bar.none())
          .must(new Bar.RatioAtLeast(0.65))
          .beside("empty call", Series.of(10_000, 10_000));

  private static final Row MEMORY =
      Row.of("memory", "resident", "MB", Series.of(250), new Bar.ValueAtMost(200));

  @Test
  void tableShowsEachRowWithItsBar() {
    String table =
        ResultTable.of(result(LEASE, MEMORY, Row.failed("stream", "stream", "it ended with 1")));

    assertThat(table)
        .isEqualTo(
            """
            MEASURED                   VALUE  BESIDE       VALUE    RATIO (ROUNDS)       BAR  MET
            lease, 32 callers  7,500 calls/s  empty call  10,000  0.75 (0.70–0.80)   ≥ 0.65×  yes
            resident                  250 MB                                        ≤ 200 MB  no
            stream                    failed                                                  no

            stream: it ended with 1
            """);
  }

  @Test
  void jsonKeepsEveryRawFigure() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result(LEASE, MEMORY).json());

    assertThat(json.get("date").asText()).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(json.at("/machine/disk").asText()).isEqualTo("ext4");
    assertThat(json.at("/rows/0/values")).hasToString("[7000.0,8000.0]");
    assertThat(json.at("/rows/0/peer/values")).hasToString("[10000.0,10000.0]");
    assertThat(json.at("/rows/0/ratios")).hasToString("[0.7,0.8]");
    assertThat(json.at("/rows/0/met").asBoolean()).isTrue();
    assertThat(json.at("/rows/1/met").asBoolean()).isFalse();
    assertThat(json.get("met").asBoolean()).isFalse();
  }
}

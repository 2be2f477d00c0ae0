package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LongProofsTest {
  private static final LongProofs.Proof PROOF =
      new LongProofs.Proof("kills", "e2e", "KilledIT", "pliant.kills", 20, 200);

  @TempDir Path root;

  @ParameterizedTest
  @CsvSource({
    "TEST-dev.pliant.e2e.KilledIT.xml,    1, 0, true",
    "TEST-dev.pliant.e2e.KilledIT.xml,    1, 1, false",
    "TEST-dev.pliant.e2e.KilledIT.xml,    0, 0, false",
    "TEST-dev.pliant.e2e.NotKilledIT.xml, 1, 0, false"
  })
  void isProvedByAReportOfATestThatRan(String file, int tests, int skipped, boolean proved)
      throws IOException {
    Files.writeString(
        Files.createDirectories(root.resolve("e2e/target/failsafe-reports")).resolve(file),
        "<testsuite xmlns=\"x\" name=\"KilledIT\" tests=\"%d\" errors=\"0\" skipped=\"%d\">"
            .formatted(tests, skipped));

    assertThat(PROOF.isProved(root)).isEqualTo(proved);
    PROOF.forget(root);
    assertThat(PROOF.isProved(root)).isFalse();
  }

  @Test
  void theLongFormHasTheLargeCount() {
    assertThat(PROOF.command(root, Plan.longForm()))
        .contains("-Dpliant.kills=200", "-Dit.test=KilledIT");
    assertThat(PROOF.command(root, Plan.quickForm())).contains("-Dpliant.kills=20");
  }
}

package dev.pliant.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.verify.Verification;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.JobId;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerificationTextTest {
  private static final DatasetSpec SPEC =
      new DatasetSpec(
          new DatasetName("clicks"),
          new Source.Table(5_000),
          new Consumption.Shards(10, 3),
          1,
          Shuffle.NONE,
          0);

  private static Verification found(long before) {
    return new Verification(
        new JobId("default", "job"),
        9,
        1,
        List.of(new Verification.Dataset(SPEC, 5_000, before, 0, 0, 1, true, List.of(), 0, "")));
  }

  @Test
  void saysWhatTheJournalDidNotSee() {
    assertThat(VerificationText.lines(found(1_200)))
        .contains(
            "dataset clicks: 1,200 more records were taken over from a checkpoint; this run did not train them",
            "clicks    3,800   0     0         1 of 1   complete")
        .last()
        .isEqualTo(
            "verify: the job is complete. No record was completed more than once by this run; 1,200 were taken over from a checkpoint.");
    assertThat(VerificationJson.of(found(1_200))).contains("\"done\":3800,\"takenOver\":1200");
  }

  @Test
  void saysNothingOfItWhereTheJournalSawAll() {
    assertThat(VerificationText.lines(found(0)))
        .noneMatch(line -> line.contains("taken over"))
        .last()
        .isEqualTo("verify: every record of every epoch was completed exactly once.");
  }
}

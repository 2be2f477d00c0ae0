package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ForeignJournalTest {
  /// It is whole: whoever is told that it is damaged may give it up.
  @Test
  void aJournalOfAnotherJobIsNotCalledDamaged() throws IOException {
    ForgetfulDisk disk = new ForgetfulDisk();
    try (FolderStore store = new FolderStore(disk, new JobId("research", "count"))) {
      assertThat(store.claim()).isPositive();
      store.begin(1);
    }
    JobId other = new JobId("default", "count");

    assertThatThrownBy(() -> JobRecovery.recover(new FolderStore(disk, other), other))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FOREIGN_JOURNAL))
        .hasMessageContaining("belongs to job research/count, not to default/count")
        .hasMessageContaining("name that job, or the folder of this one")
        .hasMessageNotContainingAny("damaged", "anew");
  }
}

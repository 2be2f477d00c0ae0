package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `pliant verify` of a folder that lies anywhere.
final class VerifyCommandTest {
  @TempDir Path folder;

  @BeforeEach
  void writeAJournal() throws IOException {
    Path journal = Files.createDirectories(folder.resolve("journal"));
    try (JournalStore store =
        JournalStores.open(JournalLocation.folder(journal), new JobId("research", "count"))) {
      assertThat(store.claim()).isPositive();
      store.begin(1);
    }
  }

  @Test
  void theNamespaceCountsWithAFolder() {
    for (String[] job :
        new String[][] {
          {"research/count"}, {"count", "-n", "research"}, {"research/count", "-n", "research"}
        }) {
      Called called = verify(job);
      assertThat(called.exitCode()).as(called::err).isZero();
    }
    assertThat(verify("research/count", "-n", "team").err())
        .contains("'research/count' is in the namespace 'research', and --namespace says 'team'");
  }

  @Test
  void saysWhoseJournalItIs() {
    Called called = verify("count");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .startsWith("pliant: the journal in this folder belongs to job research/count, not to ");
  }

  @Test
  void refusesAJournalOfTheFormatBefore() throws IOException {
    Path segment = folder.resolve("journal").resolve("0000000000000001-00000001.journal");
    byte[] bytes = Files.readAllBytes(segment);
    bytes[7] = 2;
    Files.write(segment, bytes);

    Called called = verify("research/count");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .startsWith(
            "pliant: 0000000000000001-00000001.journal in the journal of job research/count has"
                + " format version 2, and this Pliant reads only version 3; run the job again with"
                + " --replace, or finish it with the older Pliant that began it.");
  }

  private Called verify(String... job) {
    String[] arguments = new String[job.length + 3];
    arguments[0] = "verify";
    arguments[1] = "--folder";
    arguments[2] = folder.toString();
    System.arraycopy(job, 0, arguments, 3, job.length);
    return Called.with(arguments);
  }
}

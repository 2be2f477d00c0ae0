package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.master.replay.JobReplay;
import dev.pliant.master.verify.Verifier;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.JobPhaseChanged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Journals of another format version: `golden/journal-2` is one that version 2 wrote.
class JournalVersionTest {
  private static final JobId JOB = new JobId("default", "golden");
  private static final Path VERSION_2 = Path.of("src/test/resources/golden/journal-2");
  private static final String SEGMENT = "0000000000000001-00000001.journal";

  @TempDir Path folder;

  @BeforeEach
  void copy() throws IOException {
    Path journal = Files.createDirectories(folder.resolve("journal"));
    try (Stream<Path> files = Files.list(VERSION_2)) {
      for (Path file : files.toList()) {
        Files.copy(file, journal.resolve(file.getFileName()));
      }
    }
  }

  private JournalStore store() {
    return JournalStores.open(JournalLocation.folder(folder.resolve("journal")), JOB);
  }

  private List<String> files() throws IOException {
    return FolderDisk.of(folder.resolve("journal")).list();
  }

  @Test
  void theVersionBeforeIsRefusedWithWhatToDo() throws IOException {
    List<String> before = files();

    assertRefused(() -> store().checkVersion());
    assertRefused(() -> store().claim());
    assertRefused(() -> JobRecovery.recover(store(), JOB));
    assertRefused(() -> JobRecovery.isDefined(store()));
    assertRefused(() -> Verifier.ofFolder(JOB, folder).verify());
    assertRefused(() -> JobReplay.of(JOB, JournalLocation.ofJob(JOB, folder)));
    assertThat(files()).as("nothing was changed").isEqualTo(before);
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.JOURNAL_VERSION))
        .message()
        .startsWith("0000000000000")
        .endsWith(
            " in the journal of job default/golden has format version 2, and this Pliant reads"
                + " only version 3; run the job again with --replace, or finish it with the older"
                + " Pliant that began it. Nothing was changed.");
  }

  @Test
  void aLaterVersionAsksForTheNewerPliant() throws IOException {
    Path segment = folder.resolve("journal").resolve(SEGMENT);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[7] = 99;
    Files.write(segment, bytes);

    assertThatThrownBy(() -> store().claim())
        .hasMessageContaining("has format version 99")
        .hasMessageContaining("use the newer Pliant that wrote it");
  }

  static List<Event> unknown() {
    return List.of(
        Event.getDefaultInstance(),
        Event.newBuilder()
            .setJobPhaseChanged(JobPhaseChanged.newBuilder().setPhaseValue(999))
            .build());
  }

  @ParameterizedTest
  @MethodSource("unknown")
  void aValueThatThisVersionDoesNotHaveAsksForTheNewerPliant(Event event) {
    assertThatThrownBy(() -> EventCodec.decode(event))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.JOURNAL_VERSION))
        .hasMessageContaining("use the newer Pliant that wrote it");
  }
}

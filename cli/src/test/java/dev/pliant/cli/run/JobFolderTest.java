package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobFolderTest {
  private static final JobId JOB = new JobId("default", "count");

  @TempDir Path jobs;

  @Test
  void livesWhereTheSystemKeepsState() {
    Path home = Path.of("/people/ada");

    assertThat(StateHome.of(Map.of(), home).jobs())
        .isEqualTo(Path.of("/people/ada/.local/state/pliant/jobs"));
    assertThat(StateHome.of(Map.of("XDG_STATE_HOME", "/state"), home).jobs())
        .isEqualTo(Path.of("/state/pliant/jobs"));
    assertThat(StateHome.of(Map.of("XDG_STATE_HOME", "not/absolute"), home).jobs())
        .isEqualTo(Path.of("/people/ada/.local/state/pliant/jobs"));
  }

  @Test
  void isItsOwnersAlone() throws IOException {
    try (JobFolder folder = JobFolder.take(jobs, JOB)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void isHeldByOneSupervisorAtATimeAndSaysByWhom() throws IOException {
    try (JobFolder folder = JobFolder.take(jobs, JOB)) {
      folder.sayHolder("process 17, since noon");

      assertThatExceptionOfType(PliantException.class)
          .isThrownBy(() -> JobFolder.take(jobs, JOB))
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.JOB_EXISTS))
          .withMessage(
              "job default/count is running already, by process 17, since noon; stop that one"
                  + " first, or give this one another name with --name.");
    }
    JobFolder.take(jobs, JOB).close();
  }

  @Test
  void aJournalOfTheFormatBeforeIsNotResumedButReplaced() throws IOException {
    try (JobFolder folder = JobFolder.take(jobs, JOB)) {
      Path journal = Files.createDirectories(folder.path().resolve("journal"));
      Files.writeString(journal.resolve("0000000000000001-00000001.journal"), "PLIANTJ\u0002");
      Files.writeString(folder.result(), "{}");

      assertThatExceptionOfType(PliantException.class)
          .isThrownBy(() -> folder.prepare(true, false, List.of(), null))
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.JOURNAL_VERSION))
          .withMessageContaining("0000000000000001-00000001.journal")
          .withMessageContaining("has format version 2, and this Pliant reads only version 3")
          .withMessageContaining("run the job again with --replace");
      assertThat(folder.result()).exists();

      folder.prepare(false, true, List.of(), null);
      assertThat(journal).doesNotExist();
    }
  }

  @Test
  void refusesANameThatHasRunUnlessToldWhatToDo() throws IOException {
    try (JobFolder folder = JobFolder.take(jobs, JOB)) {
      folder.prepare(false, false, List.of(), null);
      Files.writeString(folder.path().resolve("token"), "secret");

      assertThatExceptionOfType(PliantException.class)
          .isThrownBy(() -> folder.prepare(false, false, List.of(), null))
          .withMessageContaining("was begun and not finished; continue it with --resume");
      Files.writeString(folder.result(), "{}");
      assertThatExceptionOfType(PliantException.class)
          .isThrownBy(() -> folder.prepare(false, false, List.of(), null))
          .withMessageContaining("has run before; continue it with --resume");

      folder.prepare(true, false, List.of(), null);
      assertThat(folder.path().resolve("token")).exists();
      assertThat(folder.result()).doesNotExist();

      folder.prepare(false, true, List.of(), null);
      assertThat(folder.path().resolve("token")).doesNotExist();
      assertThat(folder.logs()).isEmptyDirectory();
    }
  }

  @Test
  void replacesAJobWithoutTouchingWhatLiesElsewhere() throws IOException {
    Path model = jobs.resolve("elsewhere/default/count/u-1/checkpoint-7/model");
    Files.createDirectories(model.getParent());
    Files.writeString(model, "a model");
    try (JobFolder folder = JobFolder.take(jobs, JOB)) {
      Files.createSymbolicLink(folder.path().resolve("checkpoints"), jobs.resolve("elsewhere"));
      Files.createDirectories(folder.path().resolve("own/default/count/u-1/checkpoint-7"));

      folder.prepare(false, true, List.of(folder.path().resolve("own"), jobs), null);
      assertThat(folder.path().resolve("own/default/count/u-1/checkpoint-7"))
          .as("what the new run starts from")
          .exists();

      folder.prepare(false, true, List.of(), null);

      assertThat(folder.path().resolve("checkpoints")).doesNotExist();
      assertThat(folder.path().resolve("own")).doesNotExist();
      assertThat(model).exists();
    }
  }
}

package dev.pliant.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pliant.cli.jobs.DeletedJob;
import dev.pliant.cli.jobs.DeletedJob.Checkpoints;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalDeleteTest {
  private static final JobId JOB = new JobId("default", "digits");

  @TempDir Path folder;
  private Path jobFolder = Path.of("");
  private Path base = Path.of("");

  @BeforeEach
  void name() {
    jobFolder = folder.resolve("jobs/default/digits");
    base = folder.resolve("data");
  }

  /// A job that has ended, with checkpoints in that path.
  private void job(String path) throws IOException {
    Files.createDirectories(jobFolder.resolve("journal"));
    Files.writeString(
        jobFolder.resolve("job.json"),
        """
        {"job": "default/digits", "strategy": "allreduce", "elasticity": "auto",
         "workers": {"wish": 1, "min": 1, "max": 1}, "command": ["train"], "environment": {},
         "workingFolder": "/", "checkpoint": {"path": "%s", "every": 10, "keep": 3}}
        """
            .formatted(path));
  }

  private static void checkpoint(Path base, String run, int number) throws IOException {
    Path made = base.resolve("default/digits").resolve(run).resolve("checkpoint-" + number);
    Files.createDirectories(made);
    Files.writeString(made.resolve("model"), "x".repeat(1_000));
  }

  private DeletedJob delete(boolean checkpoints) throws IOException {
    try (LocalJobs jobs = new LocalJobs(new StateHome(folder.resolve("jobs")), "default")) {
      return jobs.delete(JOB, checkpoints, line -> {});
    }
  }

  @Test
  void saysWhichCheckpointsStayAndHowToDeleteThem() throws IOException {
    job(base.toString());
    checkpoint(base, "u-1", 10);
    checkpoint(base, "u-2", 10);
    checkpoint(base, "u-2", 20);

    DeletedJob deleted = delete(false);

    Path stays = base.resolve("default/digits");
    assertThat(deleted.messages())
        .containsExactly(
            "job default/digits is deleted.",
            "Checkpoints stay: 3 in %s (3.0 kB). To delete them: rm -r %s".formatted(stays, stays));
    assertThat(deleted.checkpoints())
        .isEqualTo(new Checkpoints(false, null, stays.toString(), 3, 3_000L));
    assertThat(stays.resolve("u-2/checkpoint-20/model")).exists();
    assertThat(jobFolder).doesNotExist();
  }

  @Test
  void deletesThemWhenAskedTo() throws IOException {
    job(base.toString());
    checkpoint(base, "u-1", 10);
    Path other = Files.createDirectories(base.resolve("default/count/u-9/checkpoint-1"));
    Path linked = Files.writeString(folder.resolve("linked"), "kept");
    Files.createSymbolicLink(base.resolve("default/digits/u-1/checkpoint-10/link"), linked);

    DeletedJob deleted = delete(true);

    Path gone = base.resolve("default/digits");
    assertThat(deleted.messages())
        .containsExactly(
            "job default/digits is deleted.",
            "Deleted 1 checkpoint in %s (1.0 kB).".formatted(gone));
    assertThat(deleted.checkpoints())
        .isEqualTo(new Checkpoints(true, null, gone.toString(), 1, 1_000L));
    assertThat(gone).doesNotExist();
    assertThat(other).exists();
    assertThat(linked).exists();
  }

  @Test
  void deletesTheFolderOfTheNamespaceWhereNothingElseIsInIt() throws IOException {
    job(base.toString());
    checkpoint(base, "u-1", 10);

    delete(true);

    assertThat(base).isEmptyDirectory();
  }

  @Test
  void saysNothingOfThoseInTheJobsOwnFolder() throws IOException {
    job("checkpoints");
    checkpoint(jobFolder.resolve("checkpoints"), "u-1", 10);

    DeletedJob deleted = delete(false);

    assertThat(deleted.messages()).containsExactly("job default/digits is deleted.");
    assertThat(deleted.checkpoints()).isNull();
  }

  @Test
  void saysNothingWhereThereAreNone() throws IOException {
    job(base.toString());

    assertThat(delete(true).checkpoints()).isNull();
  }

  @Test
  void refusesToDeleteThroughASymbolicLink() throws IOException {
    job(base.toString());
    Path elsewhere = folder.resolve("elsewhere");
    checkpoint(elsewhere, "u-1", 10);
    Files.createDirectories(base.resolve("default"));
    Path link =
        Files.createSymbolicLink(
            base.resolve("default/digits"), elsewhere.resolve("default/digits"));

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> delete(true))
        .withMessage(
            link
                + " is a symbolic link or a file, not a folder, so --checkpoints does not delete what"
                + " is there. Nothing was deleted; delete the job without --checkpoints.");
    assertThat(jobFolder).exists();

    assertThat(delete(false).messages()).containsExactly("job default/digits is deleted.");
    assertThat(elsewhere.resolve("default/digits/u-1/checkpoint-10/model")).exists();
  }

  @Test
  void aJobWhosePlanCannotBeReadIsDeletedAllTheSame() throws IOException {
    job(base.toString());
    Files.writeString(jobFolder.resolve("job.json"), "{");

    assertThatExceptionOfType(PliantException.class).isThrownBy(() -> delete(true));
    assertThat(delete(false).messages()).containsExactly("job default/digits is deleted.");
  }
}

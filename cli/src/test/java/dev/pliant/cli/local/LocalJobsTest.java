package dev.pliant.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.jobs.Jobs.Namespaces;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalJobsTest {
  @TempDir Path folder;

  @Test
  void namesTheJobsOfOneNamespaceOrOfAll() throws IOException {
    for (String job : new String[] {"default/digits", "team/count", "team/begun"}) {
      Files.createDirectories(folder.resolve(job).resolve("journal"));
    }
    Files.createDirectories(folder.resolve("team/no-job"));
    try (LocalJobs jobs = new LocalJobs(new StateHome(folder), "team")) {
      assertThat(jobs.names(Namespaces.OWN))
          .containsExactly(new JobId("team", "begun"), new JobId("team", "count"));
      assertThat(jobs.names(Namespaces.ALL))
          .hasSize(3)
          .first()
          .isEqualTo(new JobId("default", "digits"));
    }
  }
}

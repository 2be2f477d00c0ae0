package dev.pliant.cli.run;

import dev.pliant.cli.verify.VerificationText;
import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verifier;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// What `pliant verify` says about a job whose master has ended, for the end of a run.
///
/// @param holds whether every record has the completions it must have
/// @param takenOver how many records a checkpoint of another run brought
record JobVerification(boolean holds, List<String> lines, long takenOver) {
  static JobVerification of(JobId job, Path jobFolder) {
    try {
      Verification found = Verifier.ofFolder(job, jobFolder).verify();
      return new JobVerification(
          found.holds(),
          VerificationText.lines(found),
          found.datasets().stream().mapToLong(Verification.Dataset::before).sum());
    } catch (IOException | PliantException e) {
      return new JobVerification(false, List.of("verify: it cannot be told: " + e.getMessage()), 0);
    }
  }
}

package dev.pliant.rpc.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// A job's token, `pliant.JOB.SECRET`. It names its job, so that a token brought to the wrong
/// master is told from one that is made up; only the whole of it opens anything.
public final class JobToken {
  private static final String PREFIX = "pliant";
  private static final int SECRET_BYTES = 32;

  private final JobId job;
  private final byte[] value;

  private JobToken(JobId job, String value) {
    this.job = job;
    this.value = value.getBytes(UTF_8);
  }

  /// Makes a new token. The source of chance must be a secure one.
  public static JobToken make(JobId job, RandomGenerator secure) {
    byte[] secret = new byte[SECRET_BYTES];
    secure.nextBytes(secret);
    return new JobToken(
        job, PREFIX + "." + encode(job.toString().getBytes(UTF_8)) + "." + encode(secret));
  }

  /// Reads the token that a job's folder or Secret holds.
  public static JobToken read(JobId job, String text) {
    if (!jobOf(text.trim()).equals(Optional.of(job.toString()))) {
      throw new PliantException(
          ErrorCode.NO_TOKEN,
          "the token file of job %s does not hold a token of that job; delete it and start the master again to have a new one made."
              .formatted(job));
    }
    return new JobToken(job, text.trim());
  }

  public String value() {
    return new String(value, UTF_8);
  }

  /// Refuses a call that does not carry this token as `Bearer TOKEN`.
  public void check(String authorization) {
    if (!authorization.startsWith("Bearer ")) {
      throw new PliantException(
          ErrorCode.NO_TOKEN,
          "the call carries no token; send the job's as 'authorization: Bearer TOKEN' (it is in the file 'token' of the job's folder).");
    }
    String given = authorization.substring("Bearer ".length()).trim();
    if (MessageDigest.isEqual(given.getBytes(UTF_8), value)) {
      return;
    }
    Optional<String> other = jobOf(given).filter(named -> !named.equals(job.toString()));
    if (other.isPresent()) {
      throw new PliantException(
          ErrorCode.FOREIGN_TOKEN,
          "the token is job %s's; this master serves job %s.".formatted(other.get(), job));
    }
    throw new PliantException(ErrorCode.NO_TOKEN, "the token is not job %s's.".formatted(job));
  }

  /// The job that a token claims to be for, if it has a token's form.
  private static Optional<String> jobOf(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3 || !parts[0].equals(PREFIX) || token.length() > 1_024) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          JobId.parse(new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8)).toString());
    } catch (IllegalArgumentException | PliantException e) {
      return Optional.empty();
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}

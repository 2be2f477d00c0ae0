package dev.pliant.master;

import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterRecord;
import dev.pliant.rpc.identity.JobCertificate;
import dev.pliant.rpc.identity.JobToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A job's folder on disk: what a master keeps there beside its journal.
final class MasterFiles {
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path folder;
  private final Path secrets;
  private final JobId job;

  private MasterFiles(Path folder, Path secrets, JobId job) {
    this.folder = folder;
    this.secrets = secrets;
    this.job = job;
  }

  /// @param secret where token and certificate are, or null where they belong into the folder
  static MasterFiles open(Path folder, @Nullable Path secret, JobId job) throws IOException {
    Files.createDirectories(folder, OWNER_ONLY);
    return new MasterFiles(folder, secret == null ? folder : secret, job);
  }

  private boolean makesSecrets() {
    return secrets.equals(folder);
  }

  Path journal() {
    return folder.resolve("journal");
  }

  /// What nodes used, as the newest master knew it.
  Path stats() {
    return folder.resolve("stats.json");
  }

  Path certificate() {
    return secrets.resolve("server.pem");
  }

  Path privateKey() {
    return secrets.resolve("server.key");
  }

  /// The job's token, made where there is none.
  JobToken token(SecureRandom random) throws IOException {
    Path file = secrets.resolve("token");
    if (makesSecrets() && !Files.exists(file)) {
      WholeFile.write(file, JobToken.make(job, random).value() + "\n");
    }
    return JobToken.read(job, Files.readString(file));
  }

  /// Sees that there is a certificate. The authority is written last, so that whoever finds it
  /// finds the rest.
  void ensureCertificate(InstantSource clock, SecureRandom random) throws IOException {
    Path authority = secrets.resolve("ca.pem");
    if (makesSecrets() && !Files.exists(authority)) {
      JobCertificate made = JobCertificate.make(job, List.of(), clock.instant(), random);
      WholeFile.write(privateKey(), made.privateKey());
      WholeFile.write(certificate(), made.certificate());
      WholeFile.write(authority, made.authority());
    }
  }

  /// Says where the master is, once it serves.
  void writeAddress(String address, long epoch, boolean tls) throws IOException {
    MasterRecord master =
        new MasterRecord(job.toString(), address, epoch, tls, ProcessHandle.current().pid());
    WholeFile.write(folder.resolve(MasterRecord.FILE), master.toJson());
  }
}

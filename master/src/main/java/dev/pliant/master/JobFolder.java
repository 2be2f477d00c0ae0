package dev.pliant.master;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.master.security.JobCertificate;
import dev.pliant.master.security.JobToken;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A job's folder on disk: what a master keeps there beside its journal.
final class JobFolder {
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> SECRET =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path folder;
  private final JobId job;

  private JobFolder(Path folder, JobId job) {
    this.folder = folder;
    this.job = job;
  }

  static JobFolder open(Path folder, JobId job) throws IOException {
    Files.createDirectories(folder, OWNER_ONLY);
    return new JobFolder(folder, job);
  }

  Path journal() {
    return folder.resolve("journal");
  }

  Path certificate() {
    return folder.resolve("server.pem");
  }

  Path privateKey() {
    return folder.resolve("server.key");
  }

  /// The job's token, made where there is none.
  JobToken token(SecureRandom random) throws IOException {
    Path file = folder.resolve("token");
    if (!Files.exists(file)) {
      write(file, JobToken.make(job, random).value() + "\n");
    }
    return JobToken.read(job, Files.readString(file));
  }

  /// Sees that there is a certificate. The authority is written last, so that whoever finds it
  /// finds the rest.
  void ensureCertificate(InstantSource clock, SecureRandom random) throws IOException {
    Path authority = folder.resolve("ca.pem");
    if (!Files.exists(authority)) {
      JobCertificate made = JobCertificate.make(job, List.of(), clock.instant(), random);
      write(privateKey(), made.privateKey());
      write(certificate(), made.certificate());
      write(authority, made.authority());
    }
  }

  /// Says where the master is, once it serves.
  void writeAddress(String address, long epoch, boolean tls) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("job", job.toString());
    fields.put("address", address);
    fields.put("epoch", epoch);
    fields.put("tls", tls);
    fields.put("pid", ProcessHandle.current().pid());
    write(folder.resolve("master.json"), new ObjectMapper().writeValueAsString(fields) + "\n");
  }

  /// Writes a file as a whole: whoever reads it finds the old one or the new one.
  private static void write(Path file, String text) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".tmp");
    Files.deleteIfExists(beside);
    Files.createFile(beside, SECRET);
    Files.writeString(beside, text, UTF_8, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
  }
}

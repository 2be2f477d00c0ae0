package dev.pliant.rpc.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.Signature;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerIdentityTest {
  @TempDir Path folder;

  @Test
  void readsTheCertificateAndTheKeyThatBelongsToIt() throws Exception {
    Path certificate = folder.resolve("server.pem");
    Path key = folder.resolve("server.key");
    write(certificate, key);

    ServerIdentity identity = ServerIdentity.read(certificate, key);

    byte[] word = {1, 2, 3};
    Signature signing = Signature.getInstance("SHA256withECDSA");
    signing.initSign(identity.privateKey());
    signing.update(word);
    byte[] signature = signing.sign();
    Signature checking = Signature.getInstance("SHA256withECDSA");
    checking.initVerify(identity.certificate());
    checking.update(word);
    assertThat(checking.verify(signature)).isTrue();
  }

  @Test
  void saysWhichFilesAreDamaged() throws IOException {
    Path certificate = folder.resolve("server.pem");
    Path key = folder.resolve("server.key");
    write(certificate, key);
    Files.writeString(key, "-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n");

    assertThatIOException()
        .isThrownBy(() -> ServerIdentity.read(certificate, key))
        .withMessageStartingWith(certificate + " and " + key + " are no certificate with its key;");
  }

  private static void write(Path certificate, Path key) throws IOException {
    JobCertificate made =
        JobCertificate.make(
            new JobId("default", "x"),
            List.of(),
            Instant.parse("2026-01-01T00:00:00Z"),
            new SecureRandom());
    Files.writeString(certificate, made.certificate());
    Files.writeString(key, made.privateKey());
  }
}

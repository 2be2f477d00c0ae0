package dev.pliant.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Where a job's master is to be found. It is read anew whenever a connection has failed, because a
/// master that was started again listens elsewhere.
public sealed interface MasterLocation {
  /// Looks where the master is now.
  ///
  /// @throws IOException where that cannot be read, or not yet
  MasterTarget read() throws IOException;

  /// What a master leaves in its job's folder: `master.json`, `ca.pem` and `token`.
  record MasterFile(Path jobFolder) implements MasterLocation {
    @Override
    public MasterTarget read() throws IOException {
      String token = new String(SecretFiles.read(jobFolder, "token"), UTF_8).strip();
      if (token.isEmpty()) {
        throw new IOException(jobFolder.resolve("token") + " is empty");
      }
      MasterRecord master = MasterRecord.read(jobFolder);
      String authority =
          master.tls() ? new String(SecretFiles.read(jobFolder, "ca.pem"), UTF_8) : "";
      return MasterTarget.of(master.address(), authority, token, master.epoch());
    }
  }

  /// A master behind a name that stays, as a cluster's Service is. What opens it is mounted as a
  /// folder with `token` and `ca.pem`.
  record Mounted(String address, Path secret) implements MasterLocation {
    @Override
    public MasterTarget read() throws IOException {
      String token = new String(SecretFiles.read(secret, "token"), UTF_8).strip();
      String authority = new String(SecretFiles.read(secret, "ca.pem"), UTF_8);
      if (token.isEmpty() || authority.isBlank()) {
        throw new IOException(secret + " has an empty token or ca.pem");
      }
      return MasterTarget.of(address, authority, token, 0);
    }
  }

  /// A master that stays where it is. Without a certificate it must be on this machine.
  record Fixed(String address, Optional<String> caPem, String token) implements MasterLocation {
    @Override
    public MasterTarget read() {
      return MasterTarget.of(address, caPem.orElse(""), token, 0);
    }

    @Override
    public String toString() {
      return "Fixed[" + address + "]";
    }
  }
}

package dev.pliant.agent.master;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
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
    private static final int MAX_BYTES = 1 << 20;

    @Override
    public MasterTarget read() throws IOException {
      String token = new String(bytes("token"), UTF_8).strip();
      if (token.isEmpty()) {
        throw new IOException(jobFolder.resolve("token") + " is empty");
      }
      String address;
      boolean tls;
      long epoch;
      try {
        JsonObject master = JsonReader.read(bytes("master.json"));
        address = master.text("address");
        tls = master.flag("tls", true);
        epoch = master.number("epoch", 0);
      } catch (PliantException e) {
        throw new IOException(jobFolder.resolve("master.json") + ": " + e.getMessage(), e);
      }
      return MasterTarget.of(address, tls ? new String(bytes("ca.pem"), UTF_8) : "", token, epoch);
    }

    private byte[] bytes(String name) throws IOException {
      Path file = jobFolder.resolve(name);
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(file + " has more than 1 MiB; it cannot be a master's.");
      }
      return Files.readAllBytes(file);
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

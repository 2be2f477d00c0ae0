package dev.pliant.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MasterLocationTest {
  @TempDir Path folder;

  private void write(String json, String token) throws IOException {
    Files.writeString(folder.resolve("master.json"), json);
    Files.writeString(folder.resolve("token"), token);
    Files.writeString(folder.resolve("ca.pem"), "PEM");
  }

  @Test
  void readsWhatAMasterLeaves() throws IOException {
    write(
        "{\"job\":\"a/b\",\"address\":\"127.0.0.1:41234\",\"epoch\":3,\"tls\":true,\"pid\":1,\"new\":{}}",
        " secret\n");
    MasterTarget target = new MasterLocation.MasterFile(folder).read();
    assertThat(target).isEqualTo(new MasterTarget("127.0.0.1", 41_234, "PEM", "secret", 3));
    assertThat(target.toString()).doesNotContain("secret");
  }

  @Test
  void withoutTlsNoCertificateIsNeeded() throws IOException {
    write("{\"address\":\"[::1]:1\",\"tls\":false}", "t");
    Files.delete(folder.resolve("ca.pem"));
    assertThat(new MasterLocation.MasterFile(folder).read())
        .isEqualTo(new MasterTarget("::1", 1, "", "t", 0));
  }

  @Test
  void whatIsMissingOrHalfWrittenMayComeYet() throws IOException {
    MasterLocation location = new MasterLocation.MasterFile(folder);
    assertThatThrownBy(location::read).isInstanceOf(NoSuchFileException.class);
    write("{\"addr", "t");
    assertThatThrownBy(location::read).isInstanceOf(IOException.class);
    write("{\"address\":\"127.0.0.1:1\",\"tls\":false}", "\n");
    assertThatThrownBy(location::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1:80", "example.org:80", "127.0.0.1.example.org:80", "[::2]:80"})
  void tokenNeverGoesOverTheNetworkInTheOpen(String address) {
    assertThatThrownBy(() -> new MasterLocation.Fixed(address, Optional.empty(), "t").read())
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_TOKEN))
        .hasMessageContaining("Start it with TLS");
    assertThat(new MasterLocation.Fixed(address, Optional.of("PEM"), "t").read().tls()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost", ":80", "localhost:", "localhost:0", "localhost:65536"})
  void addressHasHostAndPort(String address) {
    assertThatThrownBy(() -> new MasterLocation.Fixed(address, Optional.empty(), "t").read())
        .hasMessageContaining("HOST:PORT");
  }

  @Test
  void tokenThatNoHeaderCanCarryIsRefused() {
    assertThatThrownBy(() -> new MasterTarget("localhost", 1, "", "a b", 0))
        .hasMessageContaining("no header can carry");
    assertThat(new MasterLocation.Fixed("localhost:1", Optional.empty(), "secret").toString())
        .doesNotContain("secret");
  }
}

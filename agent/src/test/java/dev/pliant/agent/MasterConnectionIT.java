package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import dev.pliant.rpc.MasterTrouble;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MasterConnectionIT {
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir Path folder;

  private static long ping(MasterConnection connection) {
    return connection.jobs(SOON).ping(PingRequest.getDefaultInstance()).getMasterEpoch();
  }

  private static Status.Code codeOf(MasterConnection connection) {
    try {
      ping(connection);
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  @Test
  void speaksTlsToTheMasterWhoseCertificateItHas() throws Exception {
    TestCertificate certificate = TestCertificate.make(folder, "pliant-master");
    Files.writeString(folder.resolve("ca.pem"), certificate.pem());
    try (FakeMaster master = new FakeMaster(folder, certificate.server()).start();
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      assertThat(ping(connection)).isEqualTo(1);
      master.restart();
      connection.refresh();
      assertThat(ping(connection)).isEqualTo(2);
    }
  }

  @Test
  void trustsNoOtherCertificate() throws Exception {
    TestCertificate mine = TestCertificate.make(folder, "pliant-master");
    TestCertificate others =
        TestCertificate.make(Files.createDirectory(folder.resolve("other")), "pliant-master");
    Files.writeString(folder.resolve("ca.pem"), others.pem());
    try (FakeMaster master = new FakeMaster(folder, mine.server()).start();
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      assertThat(codeOf(connection)).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(master.epoch()).isEqualTo(1);
    }
  }

  @Test
  void trustsNoCertificateOfAnotherName() throws Exception {
    TestCertificate certificate = TestCertificate.make(folder, "somebody-else");
    Files.writeString(folder.resolve("ca.pem"), certificate.pem());
    try (FakeMaster _ = new FakeMaster(folder, certificate.server()).start();
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      assertThat(codeOf(connection)).isEqualTo(Status.Code.UNAVAILABLE);
    }
  }

  @Test
  void followsAMasterToAnotherPort() throws Exception {
    try (FakeMaster master = new FakeMaster(folder, null).start();
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      assertThat(ping(connection)).isEqualTo(1);
      assertThat(connection.refresh()).isFalse();
      assertThat(ping(connection)).isEqualTo(1);
      master.restart();
      assertThat(codeOf(connection)).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(connection.refresh()).isTrue();
      assertThat(ping(connection)).isEqualTo(2);
    }
  }

  @Test
  void refusesTheWordOfAMasterThatAnotherHasFollowed() throws Exception {
    Path older = Files.createDirectory(folder.resolve("older"));
    try (FakeMaster master = new FakeMaster(folder, null).start(7);
        FakeMaster past = new FakeMaster(older, null).start(6);
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      assertThat(ping(connection)).isEqualTo(7);
      // The old master's address, under the new one's epoch: only its answers give it away.
      String address = Files.readString(older.resolve("master.json"));
      Files.writeString(
          folder.resolve("master.json"), address.replace("\"epoch\":6", "\"epoch\":7"));
      assertThat(connection.refresh()).isTrue();
      assertThatThrownBy(() -> ping(connection))
          .satisfies(e -> {
            MasterTrouble trouble = MasterTrouble.of(e);
            assertThat(trouble.error().code()).isEqualTo(ErrorCode.FENCED);
            assertThat(trouble.kind()).isEqualTo(MasterTrouble.Kind.AWAY);
          });
      assertThat(connection.epoch()).isEqualTo(7);
      // A file of the old epoch is not even followed.
      Files.writeString(folder.resolve("master.json"), address);
      assertThat(connection.refresh()).isFalse();
      assertThat(past.epoch()).isLessThan(master.epoch());
    }
  }

  @Test
  void tokenThatIsNotRightIsSaidAtOnce() throws Exception {
    try (FakeMaster _ = new FakeMaster(folder, null).start();
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      Files.writeString(folder.resolve("token"), "another");
      MasterCalls calls = new MasterCalls(connection, System::nanoTime, new SplittableRandom(1));
      assertThatThrownBy(() -> calls.call("ping", SOON, MasterConnectionIT::ping))
          .isInstanceOfSatisfying(
              PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_TOKEN));
    }
  }

  @Test
  void callsWaitForAMasterAndGiveUpInTheEnd() throws Exception {
    try (FakeMaster master = new FakeMaster(folder, null);
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      MasterCalls calls = new MasterCalls(connection, System::nanoTime, new SplittableRandom(1));
      assertThatThrownBy(() -> calls.call("ping", Duration.ofMillis(200), MasterConnectionIT::ping))
          .isInstanceOf(PliantException.class)
          .hasMessageContaining("is the job running?");
      Thread later =
          Thread.startVirtualThread(() -> {
            master.start();
          });
      assertThat(calls.call("ping", SOON, MasterConnectionIT::ping)).isEqualTo(1);
      later.join();
    }
  }

  @Test
  void waitEndsWhenTheMasterIsFoundElsewhere() throws Exception {
    try (FakeMaster master = new FakeMaster(folder, null).start();
        MasterConnection connection = new MasterConnection(new MasterLocation.MasterFile(folder))) {
      MasterCalls calls = new MasterCalls(connection, System::nanoTime, new SplittableRandom(1));
      assertThat(ping(connection)).isEqualTo(1);
      assertThat(calls.pause(Duration.ofMillis(120))).isFalse();
      assertThat(connection.moves()).isZero();
      master.restart();
      assertThat(calls.pause(Duration.ofHours(1))).isTrue();
      assertThat(connection.moves()).isEqualTo(1);
      assertThat(ping(connection)).isEqualTo(2);
    }
  }

  @Test
  void fixedMasterIsReachedWithoutAFolder() throws Exception {
    try (FakeMaster _ = new FakeMaster(folder, null).start()) {
      String json = Files.readString(folder.resolve("master.json"));
      String address = json.replaceFirst(".*\"address\":\"([^\"]*)\".*", "$1");
      try (MasterConnection connection =
          new MasterConnection(
              new MasterLocation.Fixed(address, Optional.empty(), FakeMaster.TOKEN))) {
        assertThat(ping(connection)).isEqualTo(1);
      }
    }
  }

  @Test
  void closedConnectionSaysSo() {
    MasterConnection connection =
        new MasterConnection(
            new MasterLocation.Fixed("127.0.0.1:1", Optional.empty(), FakeMaster.TOKEN));
    connection.close();
    assertThat(codeOf(connection)).isEqualTo(Status.Code.CANCELLED);
  }
}

package dev.pliant.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.rpc.MasterTrouble.Kind;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MasterTroubleTest {
  private static Throwable said(
      Status.Code status, String domain, String reason, long retrySeconds) {
    com.google.rpc.Status.Builder details =
        com.google.rpc.Status.newBuilder()
            .setCode(status.value())
            .setMessage("said so")
            .addDetails(
                Any.pack(ErrorInfo.newBuilder().setDomain(domain).setReason(reason).build()));
    if (retrySeconds != 0) {
      details.addDetails(
          Any.pack(
              RetryInfo.newBuilder()
                  .setRetryDelay(com.google.protobuf.Duration.newBuilder().setSeconds(retrySeconds))
                  .build()));
    }
    return StatusProto.toStatusRuntimeException(details.build());
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource({
    "NOT_FOUND, UNKNOWN_DATASET, REFUSED",
    "NOT_FOUND, UNKNOWN_CHECKPOINT, REFUSED",
    "UNAVAILABLE, JOURNAL_STALLED, AWAY",
    "UNAVAILABLE, FENCED, AWAY",
    "RESOURCE_EXHAUSTED, OVERLOADED, AWAY",
    "UNAUTHENTICATED, NO_TOKEN, TURNED_AWAY",
    "PERMISSION_DENIED, FOREIGN_TOKEN, TURNED_AWAY",
    "INTERNAL, INTERNAL, REFUSED",
  })
  void readsWhatTheMasterSaid(Status.Code status, ErrorCode code, Kind kind) {
    MasterTrouble trouble = MasterTrouble.of(said(status, "pliant.dev", code.name(), 0));
    assertThat(trouble.error().code()).isEqualTo(code);
    assertThat(trouble.error()).hasMessage("said so");
    assertThat(trouble.kind()).isEqualTo(kind);
    assertThat(trouble.retryAfter()).isZero();
  }

  @ParameterizedTest(name = "{0}: {1}, {2}")
  @CsvSource({
    "UNAVAILABLE, STOPPING, AWAY",
    "DEADLINE_EXCEEDED, STOPPING, AWAY",
    "CANCELLED, STOPPING, ODD",
    "UNKNOWN, INTERNAL, ODD",
    "INTERNAL, INTERNAL, ODD",
    "RESOURCE_EXHAUSTED, OVERLOADED, ODD",
    "UNAUTHENTICATED, NO_TOKEN, TURNED_AWAY",
    "UNIMPLEMENTED, INTERNAL, REFUSED",
    "INVALID_ARGUMENT, BAD_MESSAGE, REFUSED",
  })
  void fallsBackOnTheStatus(Status.Code status, ErrorCode code, Kind kind) {
    MasterTrouble bare = MasterTrouble.of(status.toStatus().asRuntimeException());
    assertThat(bare.error().code()).isEqualTo(code);
    assertThat(bare.kind()).isEqualTo(kind);
    MasterTrouble foreign = MasterTrouble.of(said(status, "example.org", "NO_TOKEN", 0));
    assertThat(foreign.kind()).isEqualTo(kind);
    MasterTrouble newer = MasterTrouble.of(said(status, "pliant.dev", "A_CODE_TO_COME", 0));
    assertThat(newer.error().code()).isEqualTo(code);
  }

  @ParameterizedTest
  @EnumSource(value = Status.Code.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
  void everyStatusMeansSomething(Status.Code status) {
    assertThat(MasterTrouble.of(status.toStatus().asRuntimeException()).error().getMessage())
        .isNotBlank();
  }

  @ParameterizedTest(name = "{0} s: {1} s")
  @CsvSource({"3, 3", "-5, 0", "9999999, 30"})
  void honoursTheHintWithinReason(long hint, long want) {
    MasterTrouble trouble =
        MasterTrouble.of(said(Status.Code.RESOURCE_EXHAUSTED, "pliant.dev", "OVERLOADED", hint));
    assertThat(trouble.retryAfter()).isEqualTo(Duration.ofSeconds(want));
  }

  @Test
  void messageIsOneLineWithTheNetworksWord() {
    Throwable failure =
        Status.UNAVAILABLE
            .withDescription("io\n  exception")
            .withCause(new IOException("refused"))
            .asRuntimeException();
    assertThat(MasterTrouble.of(failure).error()).hasMessage("io exception: refused");
  }

  @Test
  void oddTroubleIsTriedOftenButNotForEver() {
    MasterTrouble odd = MasterTrouble.of(Status.INTERNAL.asRuntimeException());
    assertThat(MasterCalls.worthAnotherTry(odd, 1, false)).isTrue();
    assertThat(MasterCalls.worthAnotherTry(odd, MasterCalls.ODD_TRIES, false)).isFalse();
    MasterTrouble away = MasterTrouble.of(Status.UNAVAILABLE.asRuntimeException());
    assertThat(MasterCalls.worthAnotherTry(away, 1_000_000, false)).isTrue();
    MasterTrouble token =
        MasterTrouble.of(new PliantException(ErrorCode.NO_TOKEN, "the token is empty"));
    assertThat(MasterCalls.worthAnotherTry(token, 1, false)).isFalse();
    assertThat(MasterCalls.worthAnotherTry(token, 1, true)).isTrue();
  }
}

package dev.pliant.rpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a failed call means: whether another try can help, and what to tell whoever asked.
///
/// @param error what to say when it is not tried again
/// @param kind whether to try again
/// @param retryAfter how long the master asks to wait; zero where it says nothing
public record MasterTrouble(PliantException error, Kind kind, Duration retryAfter) {
  /// Longer than this no hint is believed.
  private static final Duration LONGEST_HINT = Duration.ofSeconds(30);

  public enum Kind {
    /// The master is away, busy or being replaced: try again, as long as it takes.
    AWAY,
    /// Nobody of ours said it, so it may be the transport's doing: try again, but not for ever.
    ODD,
    /// The token is not right, unless the master has moved meanwhile.
    TURNED_AWAY,
    /// The master has judged the request: trying again gives the same.
    REFUSED
  }

  /// Reads what a call was failed with.
  public static MasterTrouble of(Throwable failure) {
    if (failure instanceof PliantException own) {
      return new MasterTrouble(own, kindOf(own.code()), Duration.ZERO);
    }
    Status status = Status.fromThrowable(failure);
    com.google.rpc.Status details = StatusProto.fromThrowable(failure);
    Optional<ErrorCode> said =
        detail(details, ErrorInfo.class)
            .filter(info -> info.getDomain().equals(Faults.DOMAIN))
            .flatMap(info -> codeNamed(info.getReason()));
    ErrorCode code = said.orElseGet(() -> codeOf(status.getCode()));
    Kind kind = said.isPresent() ? kindOf(code) : kindOf(status.getCode());
    return new MasterTrouble(
        new PliantException(code, message(status), failure), kind, hint(details));
  }

  private static Kind kindOf(ErrorCode code) {
    return switch (code.category()) {
      case UNAVAILABLE, EXHAUSTED -> Kind.AWAY;
      case UNAUTHENTICATED, FORBIDDEN -> Kind.TURNED_AWAY;
      case INVALID, OUT_OF_RANGE, NOT_FOUND, EXISTS, PRECONDITION, DATA_LOSS, INTERNAL ->
          Kind.REFUSED;
    };
  }

  private static Kind kindOf(Status.Code code) {
    return switch (code) {
      case UNAVAILABLE, DEADLINE_EXCEEDED -> Kind.AWAY;
      case UNAUTHENTICATED, PERMISSION_DENIED -> Kind.TURNED_AWAY;
      case OK, CANCELLED, UNKNOWN, INTERNAL, ABORTED, RESOURCE_EXHAUSTED -> Kind.ODD;
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          DATA_LOSS ->
          Kind.REFUSED;
    };
  }

  private static ErrorCode codeOf(Status.Code code) {
    return switch (code) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, ABORTED -> ErrorCode.STOPPING;
      case RESOURCE_EXHAUSTED -> ErrorCode.OVERLOADED;
      case UNAUTHENTICATED -> ErrorCode.NO_TOKEN;
      case PERMISSION_DENIED -> ErrorCode.FOREIGN_TOKEN;
      case INVALID_ARGUMENT -> ErrorCode.BAD_MESSAGE;
      case NOT_FOUND -> ErrorCode.UNKNOWN_DATASET;
      case ALREADY_EXISTS -> ErrorCode.DATASET_EXISTS;
      case FAILED_PRECONDITION -> ErrorCode.WRONG_CONSUMPTION;
      case OUT_OF_RANGE -> ErrorCode.OUT_OF_RANGE;
      case DATA_LOSS -> ErrorCode.DAMAGED_CHECKPOINT;
      case OK, UNKNOWN, INTERNAL, UNIMPLEMENTED -> ErrorCode.INTERNAL;
    };
  }

  private static Optional<ErrorCode> codeNamed(String reason) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(reason)) {
        return Optional.of(code);
      }
    }
    return Optional.empty();
  }

  /// In one line, with what the network said where it was the network.
  private static String message(Status status) {
    String said = status.getDescription();
    if (said == null || said.isBlank()) {
      return "the master's answer is %s, without a word why.".formatted(status.getCode());
    }
    Throwable cause = status.getCause();
    String why = cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage();
    return (said + why).replaceAll("\\s*\\R\\s*", " ");
  }

  private static Duration hint(com.google.rpc.@Nullable Status details) {
    long millis =
        detail(details, RetryInfo.class)
            .map(info -> info.getRetryDelay())
            .map(delay -> 1_000 * delay.getSeconds() + delay.getNanos() / 1_000_000)
            .orElse(0L);
    return Duration.ofMillis(Math.clamp(millis, 0, LONGEST_HINT.toMillis()));
  }

  private static <M extends Message> Optional<M> detail(
      com.google.rpc.@Nullable Status details, Class<M> type) {
    if (details == null) {
      return Optional.empty();
    }
    for (Any any : details.getDetailsList()) {
      if (any.is(type)) {
        try {
          return Optional.of(any.unpack(type));
        } catch (InvalidProtocolBufferException _) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }
}

package dev.pliant.rpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;

/// Faults as gRPC says them: the one place where an [ErrorCode] becomes a status. [MasterTrouble]
/// reads them.
public final class Faults {
  static final String DOMAIN = "pliant.dev";
  private static final int RETRY_MILLIS = 100;

  private Faults() {}

  public static StatusRuntimeException toGrpc(PliantException fault) {
    Status.Builder status = status(fault);
    if (isPassing(fault.code())) {
      status.addDetails(
          Any.pack(
              RetryInfo.newBuilder()
                  .setRetryDelay(Duration.newBuilder().setNanos(RETRY_MILLIS * 1_000_000))
                  .build()));
    }
    return StatusProto.toStatusRuntimeException(status.build());
  }

  /// The same without a hint when to come back.
  static StatusRuntimeException toGrpcWithoutHint(PliantException fault) {
    return StatusProto.toStatusRuntimeException(status(fault).build());
  }

  private static Status.Builder status(PliantException fault) {
    return Status.newBuilder()
        .setCode(code(fault.code()).value())
        .setMessage(String.valueOf(fault.getMessage()))
        .addDetails(
            Any.pack(
                ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(fault.code().name()).build()));
  }

  private static boolean isPassing(ErrorCode code) {
    return switch (code.category()) {
      case EXHAUSTED, UNAVAILABLE -> true;
      case INVALID,
          OUT_OF_RANGE,
          NOT_FOUND,
          EXISTS,
          PRECONDITION,
          DATA_LOSS,
          UNAUTHENTICATED,
          FORBIDDEN,
          INTERNAL ->
          false;
    };
  }

  private static Code code(ErrorCode code) {
    return switch (code.category()) {
      case INVALID -> Code.INVALID_ARGUMENT;
      case OUT_OF_RANGE -> Code.OUT_OF_RANGE;
      case NOT_FOUND -> Code.NOT_FOUND;
      case EXISTS -> Code.ALREADY_EXISTS;
      case PRECONDITION -> Code.FAILED_PRECONDITION;
      case DATA_LOSS -> Code.DATA_LOSS;
      case UNAUTHENTICATED -> Code.UNAUTHENTICATED;
      case FORBIDDEN -> Code.PERMISSION_DENIED;
      case EXHAUSTED -> Code.RESOURCE_EXHAUSTED;
      case UNAVAILABLE -> Code.UNAVAILABLE;
      case INTERNAL -> Code.INTERNAL;
    };
  }
}

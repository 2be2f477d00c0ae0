package dev.pliant.rpc;

import dev.pliant.model.PliantException;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;
import java.util.function.Consumer;

/// Lets only calls through that carry a token that is allowed: all of them, health and reflection
/// included.
public final class TokenCheck implements ServerInterceptor {
  private final Consumer<String> check;

  /// @param check throws a [PliantException] for a value of the header `authorization` that it
  ///   refuses; a call without that header has an empty one
  public TokenCheck(Consumer<String> check) {
    this.check = check;
  }

  @Override
  public <Q, S> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
    try {
      check.accept(BearerToken.authorization(headers));
    } catch (PliantException refused) {
      StatusRuntimeException status = Faults.toGrpc(refused);
      call.close(
          Status.fromThrowable(status),
          Objects.requireNonNullElseGet(status.getTrailers(), Metadata::new));
      return new ServerCall.Listener<>() {};
    }
    return next.startCall(call, headers);
  }
}

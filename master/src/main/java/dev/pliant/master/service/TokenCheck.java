package dev.pliant.master.service;

import dev.pliant.identity.JobToken;
import dev.pliant.model.PliantException;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;

/// Lets only calls through that carry the job's token: all of them, health and reflection included.
public final class TokenCheck implements ServerInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final JobToken token;

  public TokenCheck(JobToken token) {
    this.token = token;
  }

  @Override
  public <Q, S> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
    try {
      token.check(Objects.requireNonNullElse(headers.get(AUTHORIZATION), ""));
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

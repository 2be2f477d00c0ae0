package dev.pliant.rpc;

import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.Objects;

/// A token as calls carry it: in the header `authorization: Bearer TOKEN`.
public final class BearerToken {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private BearerToken() {}

  /// Puts the token on every call.
  public static ClientInterceptor attach(String token) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  /// The header's whole value; empty where a call has none.
  static String authorization(Metadata headers) {
    return Objects.requireNonNullElse(headers.get(AUTHORIZATION), "");
  }
}

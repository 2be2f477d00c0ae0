package dev.pliant.rpc;

import dev.pliant.rpc.identity.ServerIdentity;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// TLS between peers: a server shows the certificate that was made for it, and clients trust the
/// authority of that certificate and nothing else.
public final class Tls {
  private Tls() {}

  /// What a client needs.
  ///
  /// @param authorityPem the only certificate to trust
  /// @throws IOException where that text holds no certificate
  public static SslContext client(String authorityPem) throws IOException {
    byte[] authority = authorityPem.getBytes(StandardCharsets.US_ASCII);
    try {
      return GrpcSslContexts.configure(
              SslContextBuilder.forClient().trustManager(new ByteArrayInputStream(authority)),
              SslProvider.JDK)
          .build();
    } catch (IllegalArgumentException e) {
      throw new IOException("the master's ca.pem holds no certificate that can be read", e);
    }
  }

  /// What a server needs.
  public static SslContext server(ServerIdentity identity) throws IOException {
    return GrpcSslContexts.configure(
            SslContextBuilder.forServer(identity.privateKey(), identity.certificate())
                // A store in memory, made and read once. For the usual kind a password would be
                // derived by 20,000 hashes, in code that is not compiled yet.
                .keyStoreType("JKS")
                // Clients show no certificate; without a word Netty would read all that the system
                // trusts, which takes longer than a journal.
                .trustManager(identity.certificate()))
        .build();
  }
}

package dev.pliant.rpc;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/// Channels as all peers have them: one network thread, bounded messages, a peer that does not
/// answer is noticed within seconds, and nothing is tried again unless the caller does so.
public final class PeerChannel {
  static final int MAX_MESSAGE_BYTES = 16 << 20;

  /// Packets to a pod that is gone are answered by nobody: a try that hangs keeps later ones, which
  /// would reach the next master, waiting.
  private static final int CONNECT_MILLIS = 2_000;

  private PeerChannel() {}

  /// The one thread that channels of a peer share. Whoever makes it ends it.
  public static EventLoopGroup network(String threadName) {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory(threadName, true), NioIoHandler.newFactory());
  }

  /// Opens a channel. Callbacks run on the network's thread and must not block.
  ///
  /// @param serverName the name in the server's certificate, whatever its address
  /// @param authorityPem the only certificate to trust, or empty for plain text
  public static ManagedChannel open(
      InetSocketAddress address, String serverName, String authorityPem, EventLoopGroup network)
      throws IOException {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(address)
            .eventLoopGroup(network)
            .channelType(NioSocketChannel.class)
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .overrideAuthority(serverName)
            .disableRetry()
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .keepAliveTime(10, TimeUnit.SECONDS)
            .keepAliveTimeout(5, TimeUnit.SECONDS);
    return authorityPem.isEmpty()
        ? builder.usePlaintext().build()
        : builder.useTransportSecurity().sslContext(Tls.client(authorityPem)).build();
  }
}

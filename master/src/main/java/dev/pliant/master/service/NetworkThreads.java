package dev.pliant.master.service;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/// The threads that read and write the server's connections, one for each processor. A call is
/// answered on the thread that read it: then the answers of one batch of the owner's cost a thread
/// one wake-up and a connection one write, instead of one each.
public final class NetworkThreads implements AutoCloseable {
  private static final int END_SECONDS = 2;

  private final EventLoopGroup threads;
  private final Class<? extends ServerChannel> channel;

  private NetworkThreads(IoHandlerFactory io, Class<? extends ServerChannel> channel) {
    this.threads =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(),
            new DefaultThreadFactory("network", true),
            io);
    this.channel = channel;
  }

  /// With the system's own means where Netty has them, else with the JDK's.
  public static NetworkThreads make() {
    return Epoll.isAvailable()
        ? new NetworkThreads(EpollIoHandler.newFactory(), EpollServerSocketChannel.class)
        : new NetworkThreads(NioIoHandler.newFactory(), NioServerSocketChannel.class);
  }

  /// Has a server use these threads. They must outlive it.
  public void serve(NettyServerBuilder server) {
    server.bossEventLoopGroup(threads).workerEventLoopGroup(threads).channelType(channel);
  }

  /// The one this is called on, to run something there later; where it is called on another thread,
  /// whatever is handed over runs at once.
  Executor current() {
    for (EventExecutor thread : threads) {
      if (thread.inEventLoop()) {
        return thread;
      }
    }
    return Runnable::run;
  }

  /// Ends them, once the server has ended.
  @Override
  public void close() {
    threads.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS);
  }
}

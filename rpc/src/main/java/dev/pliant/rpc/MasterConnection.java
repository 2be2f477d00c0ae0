package dev.pliant.rpc;

import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.DataServiceGrpc.DataServiceBlockingStub;
import dev.pliant.protocol.v1.DataServiceGrpc.DataServiceStub;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.JobServiceGrpc.JobServiceBlockingStub;
import dev.pliant.protocol.v1.RendezvousServiceGrpc;
import dev.pliant.protocol.v1.RendezvousServiceGrpc.RendezvousServiceStub;
import dev.pliant.rpc.identity.JobCertificate;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The channel to a job's master, wherever it is now. Every call carries the job's token, trusts
/// the job's own certificate alone, and refuses the word of a master that another has followed.
///
/// A call fails with a [io.grpc.StatusRuntimeException] also where the master cannot be found;
/// after a failure, [#refresh] looks where it is now. Callbacks of asynchronous calls run on the
/// network's one thread and must not block. Safe for use by many threads.
public final class MasterConnection implements AutoCloseable {
  /// How often to look for a master that is away: this long it takes at most to follow it.
  public static final Duration LOOK = Duration.ofMillis(50);

  private record Link(
      MasterTarget target, InetSocketAddress address, ManagedChannel channel, Channel calls) {}

  private final MasterLocation location;
  private final EpochFence fence = new EpochFence();
  private final EventLoopGroup network = PeerChannel.network("pliant-master");
  private final LongSupplier nanoTime;
  private @Nullable Link link;
  private long moves;
  private long lookedAt;
  private boolean closed;

  public MasterConnection(MasterLocation location) {
    this(location, System::nanoTime);
  }

  public MasterConnection(MasterLocation location, LongSupplier nanoTime) {
    this.location = location;
    this.nanoTime = nanoTime;
    this.lookedAt = nanoTime.getAsLong() - LOOK.toNanos();
  }

  /// Calls about data that wait for their answer, each at most `deadline`.
  public DataServiceBlockingStub data(Duration deadline) {
    return DataServiceGrpc.newBlockingStub(calls())
        .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// Calls about the job that wait for their answer, each at most `deadline`.
  public JobServiceBlockingStub jobs(Duration deadline) {
    return JobServiceGrpc.newBlockingStub(calls())
        .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// Calls about data that answer to an observer, on the network's thread.
  public DataServiceStub dataAsync() {
    return DataServiceGrpc.newStub(calls());
  }

  /// Calls about worlds that answer to an observer, on the network's thread.
  public RendezvousServiceStub rendezvousAsync() {
    return RendezvousServiceGrpc.newStub(calls());
  }

  /// The channel itself, for stubs of other kinds.
  public Channel calls() {
    return link().calls();
  }

  /// The highest epoch in any answer so far; 0 before the first.
  public long epoch() {
    return fence.highest();
  }

  /// How often the master was found to have moved. Who remembers it from before a call knows
  /// whether the call went to a master that has been left since.
  public synchronized long moves() {
    return moves;
  }

  /// Looks where the master is now. Where it has moved, the old channel is closed with all that was
  /// under way on it; else the next call connects again without waiting.
  ///
  /// @return whether it has moved since anybody last looked
  public synchronized boolean refresh() {
    boolean moved = follow();
    if (!moved && link != null) {
      link.channel().resetConnectBackoff();
    }
    return moved;
  }

  /// For those who wait before they try again: looks where the master is now, unless somebody has
  /// just done so, and returns [#moves].
  public synchronized long look() {
    long now = nanoTime.getAsLong();
    if (now - lookedAt >= LOOK.toNanos()) {
      lookedAt = now;
      follow();
    }
    return moves;
  }

  private boolean follow() {
    Link current = link;
    if (closed) {
      return false;
    }
    try {
      MasterTarget target = read();
      InetSocketAddress address = resolve(target);
      if (current != null && target.equals(current.target()) && address.equals(current.address())) {
        return false;
      }
      link = open(target, address);
    } catch (IOException | PliantException _) {
      return false; // The next call says what is wrong, if it is still so.
    }
    moves++;
    if (current != null) {
      current.channel().shutdownNow();
    }
    return true;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (link != null) {
        link.channel().shutdownNow();
        link = null;
      }
    }
    network.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  private synchronized Link link() {
    if (closed) {
      throw Status.CANCELLED
          .withDescription("the connection to the master was closed.")
          .asRuntimeException();
    }
    Link current = link;
    if (current == null) {
      current = open();
      link = current;
    }
    return current;
  }

  private Link open() {
    try {
      MasterTarget target = read();
      return open(target, resolve(target));
    } catch (IOException e) {
      throw Status.UNAVAILABLE
          .withDescription(
              "the master is not to be found (%s: %s); is the job running?"
                  .formatted(e.getClass().getSimpleName(), e.getMessage()))
          .withCause(e)
          .asRuntimeException();
    }
  }

  private Link open(MasterTarget target, InetSocketAddress address) throws IOException {
    ManagedChannel channel =
        PeerChannel.open(address, JobCertificate.SERVER_NAME, target.caPem(), network);
    return new Link(
        target,
        address,
        channel,
        ClientInterceptors.intercept(channel, fence, BearerToken.attach(target.token())));
  }

  /// A file that an older master left behind is as good as none.
  private MasterTarget read() throws IOException {
    MasterTarget target = location.read();
    long highest = fence.highest();
    if (target.epoch() != 0 && Long.compareUnsigned(target.epoch(), highest) < 0) {
      throw new IOException(
          "%s is the address of epoch %d, but epoch %d has answered already"
              .formatted(target, target.epoch(), highest));
    }
    return target;
  }

  private static InetSocketAddress resolve(MasterTarget target) throws IOException {
    InetSocketAddress address = new InetSocketAddress(target.host(), target.port());
    if (address.isUnresolved()) {
      throw new UnknownHostException("no address is known for " + target.host());
    }
    return address;
  }
}

package dev.pliant.benchmarks;

import dev.pliant.protocol.v1.MeetArrive;
import dev.pliant.protocol.v1.MeetOpen;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.RendezvousServiceGrpc;
import dev.pliant.protocol.v1.World;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Agents of one worker each, a stream each, that meet at Pliant's master.
final class MeetingAgents {
  private static final int MAX_OPENS = 20;

  private final List<ManagedChannel> channels;
  private final int count;
  private int meetings;

  /// @param count how many agents, spread evenly over the connections
  MeetingAgents(List<ManagedChannel> channels, int count) {
    this.channels = channels;
    this.count = count;
  }

  /// Has fresh processes of all nodes meet: seconds from the first that joins to the last that has
  /// the world of all.
  double secondsToOneWorld(Duration within) throws IOException, InterruptedException {
    return new Meeting(++meetings).run(within);
  }

  /// One time that all of them meet.
  private final class Meeting {
    private final CountDownLatch met = new CountDownLatch(count);
    private final List<Agent> agents = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile long lastNanos;

    Meeting(int incarnation) {
      for (int i = 0; i < count; i++) {
        agents.add(new Agent(this, "worker-" + i, incarnation, channels.get(i % channels.size())));
      }
    }

    double run(Duration within) throws IOException, InterruptedException {
      long from = System.nanoTime();
      agents.forEach(Agent::open);
      boolean all = met.await(within.toMillis(), TimeUnit.MILLISECONDS);
      Throwable why = failure.get();
      if (why != null) {
        throw new IOException("an agent failed: " + why, why);
      }
      if (!all) {
        throw new IOException(
            "%,d of %,d agents had no world after %d s"
                .formatted(met.getCount(), count, within.toSeconds()));
      }
      checkAgreed();
      agents.forEach(Agent::end);
      return (lastNanos - from) / 1e9;
    }

    void hasWorld() {
      lastNanos = System.nanoTime();
      met.countDown();
    }

    void fail(Throwable why) {
      if (failure.compareAndSet(null, why)) {
        while (met.getCount() > 0) {
          met.countDown();
        }
      }
    }

    /// The same world for all, and a rank for each.
    private void checkAgreed() throws IOException {
      BitSet ranks = new BitSet();
      World first = agents.getFirst().world();
      for (Agent agent : agents) {
        World world = agent.world();
        if (world.getSize() != count
            || world.getVersion() != first.getVersion()
            || !world.getAddress().equals(first.getAddress())) {
          throw new IOException("agents disagree about their world: " + first + world);
        }
        ranks.set(world.getRanks(0).getRank());
      }
      if (ranks.cardinality() != count || ranks.length() != count) {
        throw new IOException("ranks are not 0 to %,d".formatted(count - 1));
      }
    }
  }

  private static final class Agent implements StreamObserver<MeetResponse> {
    private final Meeting meeting;
    private final String name;
    private final int incarnation;
    private final ManagedChannel channel;
    private @Nullable StreamObserver<MeetRequest> master;
    private @Nullable World world;
    private int opens;

    Agent(Meeting meeting, String name, int incarnation, ManagedChannel channel) {
      this.meeting = meeting;
      this.name = name;
      this.incarnation = incarnation;
      this.channel = channel;
    }

    synchronized void open() {
      opens++;
      master = RendezvousServiceGrpc.newStub(channel).meet(this);
      Member member =
          Member.newBuilder()
              .setWorker(name)
              .setIncarnation(incarnation)
              .setAddress("127.0.0.1:4000")
              .build();
      master.onNext(MeetRequest.newBuilder().setOpen(MeetOpen.newBuilder().setNode(name)).build());
      master.onNext(
          MeetRequest.newBuilder().setArrive(MeetArrive.newBuilder().addMembers(member)).build());
    }

    synchronized World world() throws IOException {
      if (world == null) {
        throw new IOException(name + " has no world");
      }
      return world;
    }

    synchronized void end() {
      if (master != null) {
        master.onCompleted();
      }
    }

    @Override
    public synchronized void onNext(MeetResponse response) {
      if (!response.hasWorld()) {
        meeting.fail(new IllegalStateException(name + " heard " + response));
      } else if (world == null) {
        world = response.getWorld();
        meeting.hasWorld();
      }
    }

    @Override
    public void onError(Throwable error) {
      // The master says that more wait than it takes on at once: come back, as an agent does.
      if (Status.fromThrowable(error).getCode() == Status.Code.RESOURCE_EXHAUSTED
          && opens < MAX_OPENS) {
        open();
      } else {
        meeting.fail(error);
      }
    }

    @Override
    public void onCompleted() {}
  }
}

package dev.pliant.benchmarks;

import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.PingRequest;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Agents that become one world: from the first that joins to the last that has it.
final class AgentsMeet implements Measure {
  private static final int CONNECTIONS = 100;
  private static final int FEW = 1_000;
  private static final int MANY = 10_000;
  private static final Duration WITHIN = Duration.ofSeconds(120);
  private static final Duration EAGER = Duration.ofMillis(500);

  @Override
  public String name() {
    return "rendezvous";
  }

  @Override
  public String what() {
    return "agents to one agreed world, a stream each on 100 TLS connections, beside DLRover's";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var few = new ArrayList<Double>();
    var shipped = new ArrayList<Double>();
    var eager = new ArrayList<Double>();
    try (PliantMaster ours = pliant(bench, FEW);
        var connections = connections(ours);
        DlroverMaster peer = DlroverMaster.start(bench, DlroverMaster.Logging.AS_SHIPPED);
        var peerConnections = new Channels(CONNECTIONS, peer::channel)) {
      bench.say("warming up");
      var meetings = new MeetingAgents(connections.all(), FEW);
      long until = System.nanoTime() + bench.plan().warmUp().toNanos();
      while (System.nanoTime() < until) {
        var _ = meetings.secondsToOneWorld(WITHIN);
      }
      var peers = DlroverAgents.make(bench, peer, peerConnections, FEW);
      var _ = peers.meet(EAGER, WITHIN);
      for (int round = 1; round <= bench.plan().rounds(); round++) {
        few.add(FEW / meetings.secondsToOneWorld(WITHIN));
        shipped.add(perSecond(peers.meet(DlroverAgents.AS_SHIPPED, WITHIN)));
        eager.add(perSecond(peers.meet(EAGER, WITHIN)));
        bench.say(
            "round %d: %,d agents %.3f s, %s %.1f s, asked every 0.5 s %.1f s",
            round,
            FEW,
            FEW / few.getLast(),
            DlroverMaster.NAME,
            FEW / shipped.getLast(),
            FEW / eager.getLast());
      }
    }
    return List.of(
        row(few, new Bar.RatioAtLeast(20)).beside(DlroverMaster.NAME, new Series(shipped)),
        row(few, Bar.none()).beside(DlroverMaster.NAME + ", asked every 0.5 s", new Series(eager)),
        many(bench));
  }

  /// A fresh master each time: as many agents as this seldom meet twice.
  private static Row many(Bench bench) throws IOException, InterruptedException {
    var seconds = new ArrayList<Double>();
    for (int round = 1; round <= bench.plan().rounds(); round++) {
      try (PliantMaster ours = pliant(bench, MANY);
          var connections = connections(ours)) {
        seconds.add(new MeetingAgents(connections.all(), MANY).secondsToOneWorld(WITHIN));
      }
      bench.say("round %d: %,d agents %.2f s", round, MANY, seconds.getLast());
    }
    DlroverAgents.Outcome far;
    try (DlroverMaster peer = DlroverMaster.start(bench, DlroverMaster.Logging.AS_SHIPPED);
        var connections = new Channels(CONNECTIONS, peer::channel)) {
      far =
          DlroverAgents.make(bench, peer, connections, MANY).meet(DlroverAgents.AS_SHIPPED, WITHIN);
    }
    bench.say(
        "%s: %,d of %,d agents had a world after %.1f s",
        DlroverMaster.NAME, far.met(), MANY, far.seconds());
    return Row.of(
            "rendezvous",
            "%,d agents to one world, TLS".formatted(MANY),
            "s",
            new Series(seconds),
            new Bar.ValueAtMost(10))
        .with("peer", DlroverMaster.NAME)
        .with("peer_agents_with_a_world", far.met())
        .with("peer_seconds", far.seconds())
        .with("peer_given_up_after_s", WITHIN.toSeconds());
  }

  private static Row row(List<Double> values, Bar bar) {
    return Row.of(
        "rendezvous",
        "%,d agents to one world, TLS".formatted(FEW),
        "agents/s",
        new Series(values),
        bar);
  }

  /// Nothing where it did not get all of them there in time.
  private static double perSecond(DlroverAgents.Outcome outcome) throws IOException {
    if (outcome.met() < FEW) {
      throw new IOException(
          "%s brought %,d of %,d agents together in %d s"
              .formatted(DlroverMaster.NAME, outcome.met(), FEW, WITHIN.toSeconds()));
    }
    return FEW / outcome.seconds();
  }

  private static PliantMaster pliant(Bench bench, int agents)
      throws IOException, InterruptedException {
    return PliantMaster.start(
        bench,
        bench.folder("rendezvous"),
        true,
        List.of("--members", "%d:%d".formatted(agents, agents)));
  }

  /// Connections that are up: an agent has one for its heartbeats before it meets anybody.
  private static Channels connections(PliantMaster master) throws IOException {
    var channels = new Channels(CONNECTIONS, master::channel);
    for (ManagedChannel channel : channels.all()) {
      var _ =
          JobServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .ping(PingRequest.getDefaultInstance());
    }
    return channels;
  }
}

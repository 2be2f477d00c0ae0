package dev.pliant.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// One unary call that leases a shard, on disk before it is answered.
final class LeaseCall implements Measure {
  private static final String DATASET = "bench";
  private static final String WORKER = "bench-worker";

  @Override
  public String name() {
    return "lease";
  }

  @Override
  public String what() {
    return "one call that leases a shard, by ghz, beside an empty call and DLRover's get of a task";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var rows = new ArrayList<Row>();
    try (DlroverMaster shipped = peer(bench, DlroverMaster.Logging.AS_SHIPPED);
        DlroverMaster quiet = peer(bench, DlroverMaster.Logging.QUIET)) {
      for (boolean tls : List.of(false, true)) {
        try (PliantMaster master = PliantMaster.start(bench, bench.folder("lease"), tls)) {
          master.createDataset(DATASET, 1_000_000_000);
          try (var _ = new Heartbeats(master, List.of(WORKER))) {
            var side = new Side(bench, master, shipped, quiet);
            side.warmUp();
            rows.addAll(side.measure(32));
            rows.addAll(side.measure(128));
          }
        }
      }
    }
    return rows;
  }

  private static DlroverMaster peer(Bench bench, DlroverMaster.Logging logging)
      throws IOException, InterruptedException {
    DlroverMaster master = DlroverMaster.start(bench, logging);
    try {
      master.createDataset();
      return master;
    } catch (IOException | RuntimeException e) {
      master.close();
      throw e;
    }
  }

  /// How much of what the server can do at all a call must reach that also writes to disk.
  static double shareOfLimit(boolean tls, int callers) {
    if (tls) {
      return callers <= 32 ? 0.55 : 0.7;
    }
    return callers <= 32 ? 0.65 : 0.8;
  }

  /// A Pliant master beside DLRover's, called in turns.
  private static final class Side {
    private final Bench bench;
    private final PliantMaster master;
    private final DlroverMaster shipped;
    private final DlroverMaster quiet;
    private final Ghz ghz;
    private final Ghz.Target ping;
    private final Ghz.Target lease;
    private final long untouched;

    Side(Bench bench, PliantMaster master, DlroverMaster shipped, DlroverMaster quiet)
        throws IOException {
      this.bench = bench;
      this.master = master;
      this.shipped = shipped;
      this.quiet = quiet;
      this.ghz = new Ghz(bench.ghz());
      this.untouched = master.takeCheckpoint();
      this.ping = Ghz.pliant(bench, master, "pliant.v1.JobService/Ping", "{}");
      this.lease =
          Ghz.pliant(
              bench,
              master,
              "pliant.v1.DataService/LeaseShards",
              "{\"worker\":\"%s\",\"dataset\":\"%s\",\"count\":1}".formatted(WORKER, DATASET));
    }

    void warmUp() throws IOException, InterruptedException {
      bench.say("%s: warming up", transport());
      var _ = ghz.run(ping, 32, bench.plan().warmUp());
      var _ = ghz.run(lease, 32, bench.plan().warmUp());
    }

    List<Row> measure(int callers) throws IOException, InterruptedException {
      var pings = new ArrayList<Load>();
      var leases = new ArrayList<Load>();
      var peers = new ArrayList<Load>();
      var quietPeers = new ArrayList<Load>();
      for (int round = 1; round <= bench.plan().rounds(); round++) {
        pings.add(ghz.run(ping, callers, bench.plan().round()));
        leases.add(checkedLeases(callers));
        peers.add(checkedTasks(shipped, callers));
        quietPeers.add(checkedTasks(quiet, callers));
        bench.say(
            "%s, %d callers, round %d: ping %.0f/s, lease %.0f/s, %s %.0f/s, quiet %.0f/s",
            transport(),
            callers,
            round,
            pings.getLast().perSecond(),
            leases.getLast().perSecond(),
            DlroverMaster.NAME,
            peers.getLast().perSecond(),
            quietPeers.getLast().perSecond());
      }
      return rows(callers, pings, leases, peers, quietPeers);
    }

    private List<Row> rows(
        int callers, List<Load> pings, List<Load> leases, List<Load> peers, List<Load> quiets) {
      String name = "lease, %s, %d callers".formatted(transport(), callers);
      Row lease =
          Row.of("lease", name, "calls/s", Load.perSecond(leases), Bar.none())
              .with("rounds", Load.details(leases));
      return List.of(
          lease
              .must(new Bar.RatioAtLeast(shareOfLimit(master.tls(), callers)))
              .beside("empty call, same server", Load.perSecond(pings))
              .with("peer_rounds", Load.details(pings)),
          lease
              .must(master.tls() ? Bar.none() : new Bar.RatioAtLeast(8))
              .beside(DlroverMaster.NAME, Load.perSecond(peers))
              .with("peer_rounds", Load.details(peers)),
          lease.beside(DlroverMaster.NAME + ", log quiet", Load.perSecond(quiets)));
    }

    private String transport() {
      return master.tls() ? "TLS" : "plain";
    }

    /// Nobody reports these shards, so each round begins with the ledger as it was at first. An
    /// answer that leases nothing is quick too: as many shards must be out as there were calls.
    private Load checkedLeases(int callers) throws IOException, InterruptedException {
      master.restore(untouched);
      Load load = ghz.run(lease, callers, bench.plan().round());
      long taken = master.shardsTaken(DATASET);
      if (taken < load.count()) {
        throw new IOException(
            "%d calls were answered but only %d shards leased".formatted(load.count(), taken));
      }
      return load;
    }

    private Load checkedTasks(DlroverMaster peer, int callers)
        throws IOException, InterruptedException {
      int before = peer.takeTask();
      Load load = ghz.run(Ghz.dlrover(peer), callers, bench.plan().round());
      int taken = peer.takeTask() - before;
      if (taken < load.count()) {
        throw new IOException(
            "DLRover answered %d calls but gave only %d tasks".formatted(load.count(), taken));
      }
      return load;
    }
  }
}

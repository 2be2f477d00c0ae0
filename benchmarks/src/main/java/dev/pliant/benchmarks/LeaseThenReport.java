package dev.pliant.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// A lease and then its report, two unary calls one after the other, both on disk before they are
/// answered.
final class LeaseThenReport implements Measure {
  private static final String DATASET = "bench";
  private static final int CONNECTIONS = Ghz.CONNECTIONS;

  @Override
  public String name() {
    return "report";
  }

  @Override
  public String what() {
    return "lease then report, by our driver, beside two empty calls and DLRover's task and result";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var rows = new ArrayList<Row>();
    try (DlroverMaster peer = DlroverMaster.start(bench, DlroverMaster.Logging.AS_SHIPPED);
        var peerChannels = new Channels(CONNECTIONS, peer::channel)) {
      peer.createDataset();
      for (boolean tls : List.of(false, true)) {
        try (PliantMaster master = PliantMaster.start(bench, bench.folder("report"), tls);
            var channels = new Channels(CONNECTIONS, master::channel)) {
          master.createDataset(DATASET, 1_000_000_000);
          var workers = IntStream.range(0, 128).mapToObj(LeaseThenReport::worker).toList();
          try (var _ = new Heartbeats(master, workers)) {
            var side = new Side(bench, tls, channels, peer.messages(), peerChannels);
            side.warmUp();
            rows.addAll(side.measure(32));
            rows.addAll(side.measure(128));
          }
        }
      }
    }
    return rows;
  }

  private static String worker(int number) {
    return "caller-" + number;
  }

  /// A Pliant master beside DLRover's, driven in turns.
  private record Side(
      Bench bench,
      boolean tls,
      Channels channels,
      DlroverMessages messages,
      Channels peerChannels) {

    void warmUp() throws IOException, InterruptedException {
      bench.say("%s: warming up", transport());
      var _ =
          LoadDriver.forTime(channels.all(), 32, _ -> Exchanges.pingTwice(), bench.plan().warmUp());
      var _ = LoadDriver.forTime(channels.all(), 32, leases(), bench.plan().warmUp());
    }

    List<Row> measure(int callers) throws IOException, InterruptedException {
      var plan = bench.plan();
      Exchange task = Exchanges.taskThenResult(messages);
      var limits = new ArrayList<Load>();
      var leases = new ArrayList<Load>();
      var peers = new ArrayList<Load>();
      for (int round = 1; round <= plan.rounds(); round++) {
        limits.add(
            LoadDriver.forTime(channels.all(), callers, _ -> Exchanges.pingTwice(), plan.round()));
        leases.add(LoadDriver.forTime(channels.all(), callers, leases(), plan.round()));
        peers.add(LoadDriver.forTime(peerChannels.all(), callers, _ -> task, plan.round()));
        bench.say(
            "%s, %d callers, round %d: two pings %.0f/s, lease and report %.0f/s, %s %.0f/s",
            transport(),
            callers,
            round,
            limits.getLast().perSecond(),
            leases.getLast().perSecond(),
            DlroverMaster.NAME,
            peers.getLast().perSecond());
      }
      return rows(callers, limits, leases, peers);
    }

    private List<Row> rows(int callers, List<Load> limits, List<Load> leases, List<Load> peers) {
      String name = "lease then report, %s, %d callers".formatted(transport(), callers);
      Row row =
          Row.of("report", name, "pairs/s", Load.perSecond(leases), Bar.none())
              .with("rounds", Load.details(leases));
      return List.of(
          row.must(new Bar.RatioAtLeast(LeaseCall.shareOfLimit(tls, callers)))
              .beside("two empty calls, same server", Load.perSecond(limits))
              .with("peer_rounds", Load.details(limits)),
          row.must(tls ? Bar.none() : new Bar.RatioAtLeast(8))
              .beside(DlroverMaster.NAME, Load.perSecond(peers))
              .with("peer_rounds", Load.details(peers)));
    }

    private static IntFunction<Exchange> leases() {
      return caller -> Exchanges.leaseThenReport(worker(caller), DATASET);
    }

    private String transport() {
      return tls ? "TLS" : "plain";
    }
  }
}

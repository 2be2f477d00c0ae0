package dev.pliant.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Shards through the worker stream: each leased, reported and on disk.
final class WorkerStream implements Measure {
  private static final String DATASET = "bench";
  private static final int STREAMS = 4;

  @Override
  public String name() {
    return "stream";
  }

  @Override
  public String what() {
    return "shards leased and reported through the worker stream, beside DLRover's get of a task";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var rows = new ArrayList<Row>();
    try (DlroverMaster peer = DlroverMaster.start(bench, DlroverMaster.Logging.AS_SHIPPED)) {
      peer.createDataset();
      for (boolean tls : List.of(false, true)) {
        try (PliantMaster master = PliantMaster.start(bench, bench.folder("stream"), tls);
            var channels = new Channels(STREAMS, master::channel)) {
          master.createDataset(DATASET, 1_000_000_000);
          var workers = IntStream.range(0, STREAMS).mapToObj(WorkStreams::worker).toList();
          try (var _ = new Heartbeats(master, workers)) {
            bench.say("%s: warming up", tls ? "TLS" : "plain");
            var _ = WorkStreams.forTime(channels.all(), DATASET, 1, bench.plan().warmUp());
            rows.add(measure(bench, tls, channels, peer, 1));
            rows.add(measure(bench, tls, channels, peer, 4));
          }
        }
      }
    }
    return rows;
  }

  private static Row measure(
      Bench bench, boolean tls, Channels channels, DlroverMaster peer, int outstanding)
      throws IOException, InterruptedException {
    var ghz = new Ghz(bench.ghz());
    var streams = new ArrayList<Load>();
    var peers = new ArrayList<Load>();
    String name =
        "%d streams, %s, %d message%s under way"
            .formatted(STREAMS, tls ? "TLS" : "plain", outstanding, outstanding == 1 ? "" : "s");
    for (int round = 1; round <= bench.plan().rounds(); round++) {
      streams.add(WorkStreams.forTime(channels.all(), DATASET, outstanding, bench.plan().round()));
      peers.add(ghz.run(Ghz.dlrover(peer), 32, bench.plan().round()));
      bench.say(
          "%s, round %d: %.0f shards/s, %s %.0f/s",
          name,
          round,
          streams.getLast().perSecond(),
          DlroverMaster.NAME,
          peers.getLast().perSecond());
    }
    return Row.of(
            "stream",
            name,
            "shards/s",
            Load.perSecond(streams),
            tls ? Bar.none() : new Bar.RatioAtLeast(200))
        .beside(DlroverMaster.NAME + ", unary", Load.perSecond(peers))
        .with("shards_a_message", WorkStreams.BATCH);
  }
}

package dev.pliant.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// A master's resident memory after it has leased many shards and taken their reports.
final class MasterMemory implements Measure {
  private static final String DATASET = "bench";
  private static final int CONNECTIONS = 4;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String what() {
    return "a master's memory after a million shards, beside DLRover's";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    Memory ours = pliant(bench);
    bench.say("Pliant: %.0f MB after %,d shards", ours.resident(), bench.plan().shards());
    Memory peer = dlrover(bench);
    bench.say(
        "%s: %.0f MB after %,d shards",
        DlroverMaster.NAME, peer.resident(), bench.plan().peerShards());
    return List.of(
        Row.of(
                "memory",
                "resident after %,d shards".formatted(bench.plan().shards()),
                "MB",
                Series.of(ours.resident()),
                new Bar.ValueAtMost(200))
            .beside(
                "%s, after %,d".formatted(DlroverMaster.NAME, bench.plan().peerShards()),
                Series.of(peer.resident()))
            .with("peak_mb", ours.peak())
            .with("peer_peak_mb", peer.peak()));
  }

  private record Memory(double resident, double peak) {
    static Memory of(Child child) throws IOException {
      return new Memory(child.residentMb(), child.peakResidentMb());
    }
  }

  private static Memory pliant(Bench bench) throws IOException, InterruptedException {
    long shards = bench.plan().shards();
    try (PliantMaster master = PliantMaster.start(bench, bench.folder("memory"), true);
        var channels = new Channels(CONNECTIONS, master::channel)) {
      master.createDataset(DATASET, shards);
      var _ = WorkStreams.toTheEnd(channels.all(), DATASET, 4, Duration.ofMinutes(10));
      long done = master.progress(DATASET).getRecordsDone() / PliantMaster.SHARD_SIZE;
      if (done != shards) {
        throw new IOException("%d of %d shards were done".formatted(done, shards));
      }
      return Memory.of(master.child());
    }
  }

  private static Memory dlrover(Bench bench) throws IOException, InterruptedException {
    try (DlroverMaster peer = DlroverMaster.start(bench, DlroverMaster.Logging.AS_SHIPPED);
        var channels = new Channels(CONNECTIONS, peer::channel)) {
      peer.createDataset();
      Exchange task = Exchanges.taskThenResult(peer.messages());
      var _ =
          LoadDriver.forCount(
              channels.all(), 32, _ -> task, bench.plan().peerShards(), Duration.ofHours(2));
      return Memory.of(peer.child());
    }
  }
}

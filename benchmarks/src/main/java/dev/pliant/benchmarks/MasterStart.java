package dev.pliant.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A master's start: from the start of its process to its first answer.
final class MasterStart implements Measure {
  @Override
  public String name() {
    return "start";
  }

  @Override
  public String what() {
    return "a master's start to its first answer, beside DLRover's";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    // Once without counting, so that neither this client's classes nor a cold disk is measured.
    var _ = pliantMs(bench, true);
    var _ = pliantMs(bench, false);
    var _ = dlroverMs(bench);
    var secured = new ArrayList<Double>();
    var plain = new ArrayList<Double>();
    var peer = new ArrayList<Double>();
    for (int round = 1; round <= bench.plan().starts(); round++) {
      secured.add(pliantMs(bench, true));
      plain.add(pliantMs(bench, false));
      peer.add(dlroverMs(bench));
      bench.say(
          "start %d: TLS %.0f ms, plain %.0f ms, %s %.0f ms",
          round, secured.getLast(), plain.getLast(), DlroverMaster.NAME, peer.getLast());
    }
    return List.of(row("TLS", secured, peer), row("plain", plain, peer));
  }

  private static Row row(String transport, List<Double> ours, List<Double> peer) {
    return Row.of(
            "start",
            "start to first answer, " + transport,
            "ms",
            new Series(ours),
            new Bar.RatioBelow(1))
        .beside(DlroverMaster.NAME, new Series(peer));
  }

  private static double pliantMs(Bench bench, boolean tls)
      throws IOException, InterruptedException {
    try (PliantMaster master = PliantMaster.start(bench, bench.folder("start"), tls)) {
      return master.firstAnswerMs();
    }
  }

  private static double dlroverMs(Bench bench) throws IOException, InterruptedException {
    try (DlroverMaster master = DlroverMaster.start(bench, DlroverMaster.Logging.AS_SHIPPED)) {
      return master.firstAnswerMs();
    }
  }
}

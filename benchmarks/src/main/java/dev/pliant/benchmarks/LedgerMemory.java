package dev.pliant.benchmarks;

import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the ledger of a huge dataset costs, in this process, at its worst: nothing for what is to
/// come, something for what is out and for what is done out of order.
final class LedgerMemory implements Measure {
  private static final long RECORDS = 1_000_000_000;
  private static final long SHARD_SIZE = 1_000;
  private static final int SHARDS = (int) (RECORDS / SHARD_SIZE);

  @Override
  public String name() {
    return "ledger";
  }

  @Override
  public String what() {
    return "the heap that a ledger of a billion records in shards of a thousand takes";
  }

  @Override
  public List<Row> run(Bench bench) {
    Map<String, Double> moments = moments();
    moments.forEach((moment, heapMb) -> bench.say("%s: %.1f MB", moment, heapMb));
    double worst = moments.values().stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    Row row =
        Row.of(
            "ledger",
            "heap for the ledger of %,d records, at worst".formatted(RECORDS),
            "MB",
            Series.of(worst),
            new Bar.ValueAtMost(64));
    return List.of(row.with("moments_mb", moments));
  }

  /// The heap after each of the moments that a ledger could be dear at.
  private static Map<String, Double> moments() {
    var moments = new LinkedHashMap<String, Double>();
    double before = heapMb();
    var ledger = new ShardLedger(spec(), 0);
    moments.put("nothing leased", heapMb() - before);
    ledger.leased(0, new long[0], 0, SHARDS, List.of(), 0);
    moments.put("all out", heapMb() - before);
    for (int number = 1; number < SHARDS; number += 2) {
      ledger.done(number, 1);
    }
    moments.put("every second one done, the others out", heapMb() - before);
    for (int number = 0; number < SHARDS; number += 4) {
      ledger.requeued(number, true);
    }
    moments.put("of those, every second one failed and requeued", heapMb() - before);
    Reference.reachabilityFence(ledger);
    return moments;
  }

  private static DatasetSpec spec() {
    return new DatasetSpec(
        new DatasetName("huge"),
        new DatasetSpec.Source.Table(RECORDS),
        new DatasetSpec.Consumption.Shards(SHARD_SIZE, DatasetSpec.DEFAULT_RETRIES),
        1,
        DatasetSpec.Shuffle.NONE,
        0);
  }

  /// Heap in use, garbage left out.
  private static double heapMb() {
    var memory = ManagementFactory.getMemoryMXBean();
    for (int i = 0; i < 3; i++) {
      memory.gc();
    }
    return memory.getHeapMemoryUsage().getUsed() / 1e6;
  }
}

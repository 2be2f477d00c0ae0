package dev.pliant.e2e;

import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseShardsResponse;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Workers that lease and report as fast as they can, whatever happens to the master, and check
/// what it says against what it said before.
final class ShardLoad implements AutoCloseable {
  private static final Duration CALL = Duration.ofSeconds(10);

  private final MasterConnection master;
  private final String dataset;
  private final int batch;
  private final Set<Long> toldDone = ConcurrentHashMap.newKeySet();
  private final List<Throwable> troubles =
      java.util.Collections.synchronizedList(new ArrayList<>());
  private final AtomicLong answers = new AtomicLong();
  private final CountDownLatch ended;

  ShardLoad(Path jobFolder, String dataset, int workers, int batch) {
    this.master = new MasterConnection(new MasterLocation.MasterFile(jobFolder));
    this.dataset = dataset;
    this.batch = batch;
    this.ended = new CountDownLatch(workers);
    for (int i = 0; i < workers; i++) {
      String worker = "load-" + i;
      Thread.ofVirtual().name(worker).start(() -> work(worker));
    }
  }

  /// How many calls were answered.
  long answers() {
    return answers.get();
  }

  Set<Long> toldDone() {
    return toldDone;
  }

  void awaitEnd(Duration bound) throws InterruptedException {
    if (!ended.await(bound.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("the workers have not ended; troubles: " + troubles);
    }
    if (!troubles.isEmpty()) {
      throw new AssertionError("a worker was told something wrong", troubles.getFirst());
    }
  }

  private void work(String worker) {
    try {
      for (long request = 1; ; request++) {
        LeaseShardsRequest lease =
            LeaseShardsRequest.newBuilder()
                .setWorker(worker)
                .setDataset(dataset)
                .setCount(batch)
                .setRequestId(request)
                .build();
        LeaseShardsResponse leased = insist(() -> master.data(CALL).leaseShards(lease));
        if (leased.getState() == LeaseState.LEASE_STATE_END) {
          return;
        }
        for (Shard shard : leased.getShardsList()) {
          if (toldDone.contains(shard.getNumber())) {
            throw new AssertionError("shard " + shard.getNumber() + " was done, and is leased");
          }
        }
        if (leased.getShardsCount() > 0) {
          report(worker, leased.getShardsList());
        } else {
          Thread.sleep(leased.getRetryAfterMs());
        }
      }
    } catch (Throwable e) {
      troubles.add(e);
    } finally {
      ended.countDown();
    }
  }

  private void report(String worker, List<Shard> shards) throws InterruptedException {
    ReportShardsRequest.Builder report =
        ReportShardsRequest.newBuilder().setWorker(worker).setDataset(dataset);
    for (Shard shard : shards) {
      report.addReports(
          ShardReport.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease()));
    }
    ReportShardsResponse told = insist(() -> master.data(CALL).reportShards(report.build()));
    for (int i = 0; i < shards.size(); i++) {
      ReportOutcome outcome = told.getOutcomes(i);
      if (outcome != ReportOutcome.REPORT_OUTCOME_UNSPECIFIED
          && outcome != ReportOutcome.REPORT_OUTCOME_REPEATED) {
        throw new AssertionError(
            "shard %d: %s %s"
                .formatted(shards.get(i).getNumber(), outcome, told.getRefusalsList()));
      }
      toldDone.add(shards.get(i).getNumber());
    }
  }

  /// Repeats a call until a master answers it.
  private <T> T insist(Supplier<T> call) throws InterruptedException {
    long until = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (true) {
      try {
        T answer = call.get();
        answers.incrementAndGet();
        return answer;
      } catch (StatusRuntimeException e) {
        Status.Code code = e.getStatus().getCode();
        boolean passing =
            code == Status.Code.UNAVAILABLE
                || code == Status.Code.DEADLINE_EXCEEDED
                || code == Status.Code.RESOURCE_EXHAUSTED
                || code == Status.Code.CANCELLED;
        if (!passing || System.nanoTime() > until) {
          throw e;
        }
        boolean unused = master.refresh();
        Thread.sleep(5);
      }
    }
  }

  @Override
  public void close() {
    master.close();
  }
}

package dev.pliant.agent;

import dev.pliant.protocol.v1.DatasetFailure;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkOpen;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a master remembers over its restarts, kept in memory: one table dataset's shards, who has
/// which, and how often each was done. Honest to data.proto in all that an agent relies on.
final class FakeLedger {
  private record Out(String worker, long lease) {}

  private final Map<String, Dataset> datasets = new TreeMap<>();
  private final List<EndWorkerRequest> ends = new ArrayList<>();
  private final Set<String> beating = new TreeSet<>();
  private final Set<String> givenUp = new TreeSet<>();
  private long lineage;

  private static final class Dataset {
    final DatasetSpec spec;
    final TreeSet<Long> todo = new TreeSet<>();
    final Map<Long, Out> out = new TreeMap<>();
    final Map<Long, Long> leases = new TreeMap<>();
    final Map<Long, Integer> done = new TreeMap<>();
    final Map<Long, Integer> returned = new TreeMap<>();
    @Nullable DatasetFailure failure;

    Dataset(DatasetSpec spec) {
      this.spec = spec;
      long shards = Math.ceilDiv(spec.getTable().getSize(), spec.getShards().getShardSize());
      for (long number = 0; number < shards; number++) {
        todo.add(number);
      }
    }
  }

  synchronized boolean create(DatasetSpec spec) {
    return datasets.putIfAbsent(spec.getName(), new Dataset(spec)) == null;
  }

  synchronized boolean knows(String dataset) {
    return datasets.containsKey(dataset);
  }

  /// Judges a message of a stream; the leases it gives stay given whether the answer arrives or
  /// not.
  synchronized WorkResponse.Builder work(String worker, String name, WorkRequest request) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new IllegalArgumentException(name);
    }
    givenUp.remove(worker);
    WorkResponse.Builder answer = WorkResponse.newBuilder();
    if (request.hasOpen()) {
      open(dataset, request.getOpen(), answer);
    }
    boolean allDone = true;
    for (ShardReport report : request.getReportsList()) {
      ReportOutcome outcome = judge(dataset, worker, report);
      allDone &= outcome == ReportOutcome.REPORT_OUTCOME_UNSPECIFIED;
      answer.addOutcomes(outcome);
      if (outcome == ReportOutcome.REPORT_OUTCOME_REFUSED) {
        answer.addRefusals("shard " + report.getNumber() + " is another worker's now.");
      }
    }
    if (allDone) {
      answer.clearOutcomes();
    }
    if (request.getWant() > 0) {
      lease(dataset, worker, request.getWant(), answer);
    }
    return answer;
  }

  private static void open(Dataset dataset, WorkOpen open, WorkResponse.Builder answer) {
    Set<Long> inHand =
        open.getHeldList().stream().map(HeldLease::getNumber).collect(Collectors.toSet());
    List<Long> undelivered = new ArrayList<>();
    dataset.out.forEach((number, out) -> {
      if (out.worker().equals(open.getWorker()) && !inHand.contains(number)) {
        undelivered.add(number);
      }
    });
    undelivered.forEach(number -> requeue(dataset, number));
    for (HeldLease held : open.getHeldList()) {
      Out out = dataset.out.get(held.getNumber());
      if (out == null || !out.worker().equals(open.getWorker()) || out.lease() != held.getLease()) {
        answer.addRevoked(held);
      }
    }
  }

  private static ReportOutcome judge(Dataset dataset, String worker, ShardReport report) {
    long number = report.getNumber();
    Out out = dataset.out.get(number);
    if (out != null && out.worker().equals(worker) && out.lease() == report.getLease()) {
      if (report.getFate() == ShardFate.SHARD_FATE_UNSPECIFIED) {
        dataset.out.remove(number);
        dataset.done.merge(number, 1, Integer::sum);
        return ReportOutcome.REPORT_OUTCOME_UNSPECIFIED;
      }
      requeue(dataset, number);
      dataset.returned.merge(number, 1, Integer::sum);
      if (report.getFate() == ShardFate.SHARD_FATE_FAILED) {
        dataset.failure =
            DatasetFailure.newBuilder()
                .setShard(number)
                .setWorker(worker)
                .setCause(report.getCause())
                .build();
        return ReportOutcome.REPORT_OUTCOME_DATASET_FAILED;
      }
      return ReportOutcome.REPORT_OUTCOME_REQUEUED;
    }
    boolean same = dataset.leases.getOrDefault(number, 0L) == report.getLease() && out == null;
    boolean done = dataset.done.containsKey(number);
    return same && done == (report.getFate() == ShardFate.SHARD_FATE_UNSPECIFIED)
        ? ReportOutcome.REPORT_OUTCOME_REPEATED
        : ReportOutcome.REPORT_OUTCOME_REFUSED;
  }

  private static void requeueAll(Dataset dataset, String worker) {
    List<Long> held = new ArrayList<>();
    dataset.out.forEach((number, out) -> {
      if (out.worker().equals(worker)) {
        held.add(number);
      }
    });
    held.forEach(number -> requeue(dataset, number));
  }

  private Dataset dataset(String name) {
    return Objects.requireNonNull(datasets.get(name), name);
  }

  private static void requeue(Dataset dataset, long number) {
    dataset.out.remove(number);
    dataset.todo.add(number);
  }

  private void lease(Dataset dataset, String worker, int want, WorkResponse.Builder answer) {
    if (dataset.failure != null) {
      answer.setState(LeaseState.LEASE_STATE_FAILED).setFailure(dataset.failure);
      return;
    }
    for (int i = 0; i < want && !dataset.todo.isEmpty(); i++) {
      long number = dataset.todo.pollFirst();
      long lease = dataset.leases.merge(number, (lineage << 32) + 1, (old, _) -> old + 1);
      dataset.out.put(number, new Out(worker, lease));
      long size = dataset.spec.getShards().getShardSize();
      answer.addShards(
          Shard.newBuilder()
              .setNumber(number)
              .setLease(lease)
              .setStart(number * size)
              .setEnd(Math.min((number + 1) * size, dataset.spec.getTable().getSize())));
    }
    boolean over = dataset.out.isEmpty();
    answer.setState(
        answer.getShardsCount() > 0
            ? LeaseState.LEASE_STATE_LEASED
            : over ? LeaseState.LEASE_STATE_END : LeaseState.LEASE_STATE_WAIT);
    answer.setRetryAfterMs(10);
  }

  synchronized long end(EndWorkerRequest request) {
    ends.add(request);
    long before = outOf(request.getWorker());
    for (Dataset dataset : datasets.values()) {
      requeueAll(dataset, request.getWorker());
    }
    return before;
  }

  /// Every lease is void, and what was not done is to be done: as after a restore.
  synchronized long restore() {
    lineage++;
    for (Dataset dataset : datasets.values()) {
      dataset.leases.replaceAll((_, lease) -> (lineage << 32) + (int) (long) lease);
      List.copyOf(dataset.out.keySet()).forEach(number -> requeue(dataset, number));
    }
    return lineage;
  }

  /// The worker is thought lost.
  synchronized void giveUp(String worker) {
    givenUp.add(worker);
    for (Dataset dataset : datasets.values()) {
      requeueAll(dataset, worker);
    }
  }

  synchronized List<String> heard(List<String> workers) {
    beating.addAll(workers);
    return workers.stream().filter(givenUp::contains).toList();
  }

  synchronized Set<String> beating() {
    return Set.copyOf(beating);
  }

  synchronized List<EndWorkerRequest> ends() {
    return List.copyOf(ends);
  }

  /// How often each shard was done.
  synchronized Map<Long, Integer> done(String dataset) {
    return Map.copyOf(dataset(dataset).done);
  }

  synchronized int returned(String dataset) {
    return dataset(dataset).returned.values().stream().mapToInt(n -> n).sum();
  }

  synchronized int waiting(String dataset) {
    return dataset(dataset).todo.size();
  }

  /// Shards that a worker has, over all datasets.
  synchronized long outOf(String worker) {
    return datasets.values().stream()
        .flatMap(dataset -> dataset.out.values().stream())
        .filter(out -> out.worker().equals(worker))
        .count();
  }
}

package dev.pliant.master.verify;

import dev.pliant.machine.Event;
import dev.pliant.machine.shards.ShardLayout;
import dev.pliant.machine.shards.StreamRange;
import dev.pliant.master.journal.EventCodec;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.verify.Verification.Happening;
import dev.pliant.master.verify.Verification.RecordHistory;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// Reads a job's journal from its first event, beside a master that may be writing it.
public final class Verifier {
  /// Records whose history is shown at once.
  public static final long MAX_RECORDS = 10_000;

  private final JobId job;
  private final JournalLocation journal;

  public Verifier(JobId job, JournalLocation journal) {
    this.job = job;
    this.journal = journal;
  }

  /// Reads the journal in a job's folder.
  public static Verifier ofFolder(JobId job, Path folder) {
    return new Verifier(job, JournalLocation.ofJob(job, folder));
  }

  /// What [#read] calls.
  private interface EventVisitor {
    void visit(Event event, long sequence, Instant at);
  }

  private void read(EventVisitor visitor) throws IOException {
    try (JournalStore store = JournalStores.open(journal, job)) {
      store.replay(
          0,
          (batch, _) -> {
            Instant at = Instant.ofEpochMilli(batch.getAtMs());
            long sequence = batch.getFirstSequence();
            for (var event : batch.getEventsList()) {
              visitor.visit(EventCodec.decode(event), sequence++, at);
            }
          });
    }
  }

  /// Counts every completion.
  public Verification verify() throws IOException {
    List<DatasetCount> counts = new ArrayList<>();
    long[] eventsAndLineage = {0, 0};
    read((event, sequence, _) -> {
      eventsAndLineage[0] = sequence;
      if (event instanceof Event.CheckpointRestored restored) {
        eventsAndLineage[1] = restored.lineage();
      }
      count(counts, event);
    });
    return new Verification(
        job,
        eventsAndLineage[0],
        eventsAndLineage[1],
        counts.stream().map(DatasetCount::result).toList());
  }

  private static void count(List<DatasetCount> counts, Event event) {
    switch (event) {
      case Event.DatasetCreated(DatasetSpec spec) -> counts.add(new DatasetCount(spec));
      case Event.ShardsLeased e -> counts.get(e.dataset()).leased(e);
      case Event.ShardsDone e -> counts.get(e.dataset()).done(e.numbers());
      case Event.ShardsRequeued e -> counts.get(e.dataset()).requeued(e.numbers());
      case Event.StepCommitted e -> counts.get(e.dataset()).committed(e);
      case Event.DatasetFailed e -> counts.get(e.dataset()).failed(e.failure());
      case Event.StreamGrown e -> counts.get(e.dataset()).grown(e.partitions(), e.closed());
      case Event.CheckpointRestored e ->
          e.ledgers()
              .forEach(ledger ->
                  counts.stream()
                      .filter(c -> c.spec().name().equals(ledger.dataset()))
                      .forEach(c -> c.restored(e.number(), ledger, !e.takenOverFrom().isEmpty())));
      case Event.CheckpointTaken(long number) -> counts.forEach(c -> c.taken(number));
      case Event.MasterStarted _,
          Event.WorkerJoined _,
          Event.WorkerEnded _,
          Event.DecisionMade _,
          Event.OutcomeMeasured _,
          Event.Met _,
          Event.Nodes _ -> {}
    }
  }

  // Histories.

  /// What happened to records `from` to `to` − 1 of a dataset (of one partition, for a stream).
  public List<RecordHistory> history(
      DatasetName dataset, Optional<String> partition, long from, long to) throws IOException {
    Trail trail = new Trail(dataset, partition, from, to);
    read(trail::follow);
    return trail.histories();
  }

  /// Follows a run of records through the events.
  private static final class Trail {
    private final DatasetName dataset;
    private final Optional<String> partition;
    private final long from;
    private final long to;
    private final List<DatasetCount> counts = new ArrayList<>();
    private final List<String> workers = new ArrayList<>();
    private final TreeMap<Long, List<Happening>> happenings = new TreeMap<>();

    /// The followed records of a shard, by its number; filled as epochs and ranges become known.
    private final Map<Long, List<Long>> recordsOf = new HashMap<>();

    private int number = -1;
    private long epochsMapped;

    Trail(DatasetName dataset, Optional<String> partition, long from, long to) {
      this.dataset = dataset;
      this.partition = partition;
      this.from = from;
      this.to = to;
    }

    List<RecordHistory> histories() {
      if (number < 0) {
        throw new PliantException(
            ErrorCode.UNKNOWN_DATASET,
            "the journal has no dataset '%s'; it has %s."
                .formatted(
                    dataset, counts.stream().map(c -> "'" + c.spec().name() + "'").toList()));
      }
      List<RecordHistory> histories = new ArrayList<>();
      for (long record = from; record < to; record++) {
        histories.add(new RecordHistory(record, happenings.getOrDefault(record, List.of())));
      }
      return histories;
    }

    void follow(Event event, long sequence, Instant at) {
      count(counts, event);
      switch (event) {
        case Event.DatasetCreated(DatasetSpec spec) -> created(spec);
        case Event.WorkerJoined e -> workers.add(e.worker().value());
        case Event.ShardsLeased e when e.dataset() == number -> {
          mapStream(e);
          String what = "leased to " + workers.get(e.worker());
          for (long shard : e.again()) {
            add(shard, at, sequence, what);
          }
          for (int i = 0; i < e.fresh(); i++) {
            add(e.freshFrom() + i, at, sequence, what);
          }
        }
        case Event.ShardsDone e when e.dataset() == number ->
            addAll(e.numbers(), at, sequence, "done by " + workers.get(e.worker()));
        case Event.ShardsRequeued e when e.dataset() == number ->
            addAll(
                e.numbers(),
                at,
                sequence,
                "taken back from %s%s: %s"
                    .formatted(
                        workers.get(e.worker()),
                        e.charged() ? ", a retry used up" : "",
                        e.cause().isEmpty() ? "given back" : e.cause()));
        case Event.StepCommitted e when e.dataset() == number -> steps(e, at, sequence);
        case Event.CheckpointRestored e ->
            everyRecord(
                at,
                sequence,
                "set back to checkpoint %d; lineage %d begins".formatted(e.number(), e.lineage()));
        case Event.DatasetFailed e when e.dataset() == number ->
            add(e.failure().shard(), at, sequence, "the last retry: the dataset failed");
        case Event e -> Objects.requireNonNull(e);
      }
    }

    private void steps(Event.StepCommitted e, Instant at, long sequence) {
      long perEpoch = counts.get(number).spec().partsPerEpoch();
      long last = e.epoch() * perEpoch + e.step();
      for (long step = last - e.count() + 1; step <= last; step++) {
        add(
            step,
            at,
            sequence,
            "step %d committed by world %d".formatted(step % perEpoch, e.world()));
      }
    }

    private void created(DatasetSpec spec) {
      if (!spec.name().equals(dataset)) {
        return;
      }
      number = counts.size() - 1;
      boolean stream = spec.source() instanceof DatasetSpec.Source.Stream;
      if (stream && partition.isEmpty()) {
        throw new PliantException(
            ErrorCode.BAD_MESSAGE,
            "dataset '%s' is a stream; say which --partition the offsets are of."
                .formatted(dataset));
      }
      if (!stream && to > spec.size()) {
        throw new PliantException(
            ErrorCode.OUT_OF_RANGE,
            "dataset '%s' has records 0 to %,d; %,d was asked for."
                .formatted(dataset, spec.size() - 1, to - 1));
      }
    }

    private void mapStream(Event.ShardsLeased e) {
      for (int i = 0; i < e.ranges().size(); i++) {
        StreamRange range = e.ranges().get(i);
        // After a restore a number may stand for another range than before.
        recordsOf.remove(e.freshFrom() + i);
        if (partition.equals(Optional.of(counts.get(number).partitionName(range.partition())))) {
          List<Long> records = new ArrayList<>();
          for (long r = Math.max(from, range.start()); r < Math.min(to, range.end()); r++) {
            records.add(r);
          }
          recordsOf.put(e.freshFrom() + i, records);
        }
      }
    }

    /// Finds the followed records' shards of every epoch up to the one of `shard`.
    private void mapEpochs(ShardLayout layout, long shard) {
      for (; epochsMapped <= layout.epoch(shard); epochsMapped++) {
        for (long record = from; record < to; record++) {
          recordsOf
              .computeIfAbsent(layout.numberOf(epochsMapped, record), _ -> new ArrayList<>())
              .add(record);
        }
      }
    }

    private void addAll(long[] shards, Instant at, long sequence, String what) {
      Arrays.stream(shards).forEach(shard -> add(shard, at, sequence, what));
    }

    private void add(long shard, Instant at, long sequence, String what) {
      ShardLayout layout = counts.get(number).layout();
      if (layout != null) {
        mapEpochs(layout, shard);
      }
      long epoch = layout == null ? 0 : layout.epoch(shard);
      for (long record : recordsOf.getOrDefault(shard, List.of())) {
        happenings
            .computeIfAbsent(record, _ -> new ArrayList<>())
            .add(new Happening(at, sequence, epoch, what));
      }
    }

    private void everyRecord(Instant at, long sequence, String what) {
      happenings
          .values()
          .forEach(list -> list.add(new Happening(at, sequence, list.getLast().epoch(), what)));
    }
  }

  /// Reads `A:B` as records A to B − 1; `A` alone is one record.
  public static long[] range(String text) {
    String[] parts = text.split(":", -1);
    try {
      long from = Long.parseLong(parts[0].trim());
      long to = parts.length == 1 ? from + 1 : Long.parseLong(parts[1].trim());
      if (parts.length > 2 || from < 0 || to <= from) {
        throw new NumberFormatException();
      }
      if (to - from > MAX_RECORDS) {
        throw new PliantException(
            ErrorCode.TOO_MANY,
            "%s names %,d records; at most %,d are shown at once."
                .formatted(text, to - from, MAX_RECORDS));
      }
      return new long[] {from, to};
    } catch (NumberFormatException e) {
      throw new PliantException(
          ErrorCode.OUT_OF_RANGE,
          "'%s' is no range of records; write A:B for records A to B − 1, both counted from 0."
              .formatted(text));
    }
  }
}

package dev.pliant.machine;

import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.nodes.NodeTable;
import dev.pliant.machine.nodes.WorkerManager;
import dev.pliant.machine.rendezvous.Rendezvous;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.rendezvous.RendezvousState;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Decision;
import dev.pliant.model.decision.RecentDecisions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Everything a job's machine knows. It changes only by [#apply], and only its owner touches it.
public final class JobState {
  /// How many checkpoints of the ledgers can be restored by number.
  public static final int KEPT_CHECKPOINTS = 16;

  /// A dataset and its ledger.
  sealed interface Dataset {
    DatasetSpec spec();

    record ByShards(int number, ShardLedger ledger) implements Dataset {
      @Override
      public DatasetSpec spec() {
        return ledger.spec();
      }
    }

    record BySteps(int number, StepLedger ledger) implements Dataset {
      @Override
      public DatasetSpec spec() {
        return ledger.spec();
      }
    }
  }

  /// A worker, from its joining to its end. One that comes back has a number of its own.
  static final class Worker {
    final int number;
    final WorkerId id;
    boolean live = true;
    ExitReason reason = ExitReason.SUCCEEDED;
    long shardsDone;
    long shardsOut;

    /// The newest request that can be repeated, and what it was answered.
    long requestId;

    int requestDataset;
    long[] requestShards = {};

    Worker(int number, WorkerId id) {
      this.number = number;
      this.id = id;
    }
  }

  private final JobId job;
  private long events;
  private final List<Dataset> datasets = new ArrayList<>();
  private final Map<DatasetName, Integer> datasetNumbers = new HashMap<>();
  private final List<Worker> workers = new ArrayList<>();
  private final Map<WorkerId, Integer> workerNumbers = new HashMap<>();
  private long lineage;
  private long restoreRequest;

  /// Since when this master serves: nobody could report to one that was not there.
  private long masterSinceMillis;

  /// No shard is late before then; [Long#MIN_VALUE] where that is not known.
  private long noShardLateBeforeMillis = Long.MIN_VALUE;

  private RendezvousState rendezvous = new RendezvousState();
  private TrainingStatus training = TrainingStatus.NONE;
  private long lastCheckpoint;
  private final TreeMap<Long, List<LedgerImage>> checkpoints = new TreeMap<>();
  private NodeTable nodes = new NodeTable();
  private RecentDecisions decisions = RecentDecisions.NONE;

  /// Workers that live although their node has ended: each is ended in its turn, before anything
  /// else follows, so no image ever holds one.
  private final LinkedHashSet<WorkerId> orphans = new LinkedHashSet<>();

  public JobState(JobId job) {
    this.job = job;
  }

  // What is known.

  public JobId job() {
    return job;
  }

  /// How many events made this state.
  public long events() {
    return events;
  }

  public List<WorkerId> liveWorkers() {
    return workers.stream().filter(w -> w.live).map(w -> w.id).toList();
  }

  /// What the machine wants of everything outside it.
  public Outlook outlook() {
    return new Outlook(
        rendezvous.meeting(),
        Math.min(
            shardDeadlineMillis(),
            Math.min(
                Rendezvous.next(rendezvous).atMillis(), WorkerManager.nextDeadlineMillis(nodes))),
        nodes.desired().explained(decisions));
  }

  /// When to look again for late shards. It stays the same while shards come and go.
  private long shardDeadlineMillis() {
    return noShardLateBeforeMillis != Long.MIN_VALUE
            && datasets.stream().anyMatch(Dataset.ByShards.class::isInstance)
        ? noShardLateBeforeMillis
        : Long.MAX_VALUE;
  }

  /// The number of a dataset, or −1.
  int datasetNumber(DatasetName name) {
    return datasetNumbers.getOrDefault(name, -1);
  }

  Dataset dataset(int number) {
    return datasets.get(number);
  }

  List<Dataset> datasets() {
    return datasets;
  }

  ShardLedger shards(int dataset) {
    return switch (datasets.get(dataset)) {
      case Dataset.ByShards(int _, ShardLedger ledger) -> ledger;
      case Dataset.BySteps(int _, StepLedger ledger) ->
          throw new PliantException(
              ErrorCode.WRONG_CONSUMPTION,
              "dataset '%s' is consumed by steps; commit steps instead of leasing shards."
                  .formatted(ledger.spec().name()));
    };
  }

  StepLedger steps(int dataset) {
    return switch (datasets.get(dataset)) {
      case Dataset.BySteps(int _, StepLedger ledger) -> ledger;
      case Dataset.ByShards(int _, ShardLedger ledger) ->
          throw new PliantException(
              ErrorCode.WRONG_CONSUMPTION,
              "dataset '%s' is consumed by shards; lease and report them instead of committing steps."
                  .formatted(ledger.spec().name()));
    };
  }

  /// The worker of that name that lives, or null.
  @Nullable Worker liveWorker(WorkerId id) {
    Integer number = workerNumbers.get(id);
    Worker worker = number == null ? null : workers.get(number);
    return worker != null && worker.live ? worker : null;
  }

  Worker worker(int number) {
    return workers.get(number);
  }

  boolean knows(WorkerId id) {
    return workerNumbers.containsKey(id);
  }

  List<Worker> workers() {
    return workers;
  }

  /// The newest worker of each name, in the order of joining.
  List<Worker> newestWorkers() {
    return workers.stream()
        .filter(w -> Integer.valueOf(w.number).equals(workerNumbers.get(w.id)))
        .toList();
  }

  long lineage() {
    return lineage;
  }

  /// Tells this job from every other one of its name; empty where nobody gave it a uid.
  String uid() {
    return nodes.defined() ? nodes.plan().uid() : "";
  }

  /// Which run of the job this is; 0 where nobody said.
  long run() {
    return nodes.defined() ? nodes.plan().run() : 0;
  }

  /// What asked for the lineage, which may ask again; 0 for nobody.
  long restoreRequest() {
    return restoreRequest;
  }

  long masterSinceMillis() {
    return masterSinceMillis;
  }

  long noShardLateBeforeMillis() {
    return noShardLateBeforeMillis;
  }

  RendezvousState rendezvous() {
    return rendezvous;
  }

  TrainingStatus training() {
    return training;
  }

  long lastCheckpoint() {
    return lastCheckpoint;
  }

  TreeMap<Long, List<LedgerImage>> checkpoints() {
    return checkpoints;
  }

  NodeTable nodes() {
    return nodes;
  }

  LinkedHashSet<WorkerId> orphans() {
    return orphans;
  }

  List<LedgerImage> ledgers() {
    return datasets.stream().map(JobState::image).toList();
  }

  /// The ledger of a dataset of which nothing was handed out.
  LedgerImage untouched(DatasetName name) {
    int number = datasetNumber(name);
    return image(dataset(number, datasets.get(number).spec()));
  }

  private static LedgerImage image(Dataset dataset) {
    return switch (dataset) {
      case Dataset.ByShards(int _, ShardLedger ledger) ->
          new LedgerImage.Shards(ledger.spec(), ledger.image());
      case Dataset.BySteps(int _, StepLedger ledger) ->
          new LedgerImage.Steps(ledger.spec(), ledger.image());
    };
  }

  // What happens.

  private void masterSince(long atMillis) {
    masterSinceMillis = atMillis;
    nodes.masterStarted(atMillis);
  }

  /// Applies an event. Its truth was decided when it was made; one that does not fit the state is a
  /// defect or a damaged journal, and throws.
  public void apply(Event event, long atMillis) {
    events++;
    switch (event) {
      case Event.MasterStarted _ -> {
        masterSince(atMillis);
        rendezvous.masterStarted(atMillis);
      }
      case Event.DecisionMade(Decision decision) -> decisions = decisions.with(decision);
      case Event.OutcomeMeasured _ -> {
        // History has it; nothing else depends on it.
      }
      case Event.DatasetCreated(DatasetSpec spec) -> addDataset(spec);
      case Event.WorkerJoined(WorkerId id) -> addWorker(id);
      case Event.WorkerEnded e -> {
        Worker worker = workers.get(e.worker());
        worker.live = false;
        worker.reason = e.reason();
        worker.requestId = 0;
        worker.requestShards = new long[0];
        orphans.remove(worker.id);
      }
      case Event.ShardsLeased e -> leased(e, atMillis);
      case Event.ShardsDone e -> {
        ShardLedger ledger = shards(e.dataset());
        for (long number : e.numbers()) {
          ledger.done(number, atMillis);
        }
        Worker worker = workers.get(e.worker());
        worker.shardsOut -= e.numbers().length;
        worker.shardsDone += e.numbers().length;
      }
      case Event.ShardsRequeued e -> {
        ShardLedger ledger = shards(e.dataset());
        for (long number : e.numbers()) {
          ledger.requeued(number, e.charged());
        }
        workers.get(e.worker()).shardsOut -= e.numbers().length;
      }
      case Event.DatasetFailed e -> shards(e.dataset()).failed(e.failure());
      case Event.StreamGrown e -> shards(e.dataset()).grown(e.partitions(), e.closed());
      case Event.StepCommitted e -> {
        steps(e.dataset()).committed(e.epoch(), e.step(), e.count(), e.world());
        training = training.committed(e.world(), e.metrics(), atMillis);
        rendezvous.progressed();
      }
      case Event.CheckpointTaken(long number) -> keep(number, ledgers());
      case Event.CheckpointRestored e -> restore(e);
      case Event.Met(RendezvousEvent what) -> rendezvous.apply(what, atMillis);
      case Event.Nodes(NodeEvent nodeEvent) -> {
        nodes.apply(nodeEvent, atMillis);
        if (nodeEvent instanceof NodeEvent.NodeEnded ended) {
          noteOrphans(ended);
        }
      }
    }
  }

  /// Notes that nothing follows now, and until when: a step before then need not look at every node
  /// and every shard. This is derived from the rest of the state, so it is in no image.
  void settle(long nowMillis) {
    nodes.settle(WorkerManager.nextDeadlineMillis(nodes));
    if (nowMillis >= noShardLateBeforeMillis) {
      // A shard that is leased from now on has at least this long.
      long next = nowMillis + DataShardManager.LATE_AFTER_MILLIS + 1;
      for (Dataset dataset : datasets) {
        if (dataset instanceof Dataset.ByShards(int _, ShardLedger ledger)) {
          next = Math.min(next, DataShardManager.nextLateMillis(ledger, masterSinceMillis));
        }
      }
      noShardLateBeforeMillis = next;
    }
  }

  private void noteOrphans(NodeEvent.NodeEnded ended) {
    for (WorkerId worker : ended.node().workers(nodes.plan().nprocPerNode())) {
      if (liveWorker(worker) != null) {
        orphans.add(worker);
      }
    }
  }

  private void addDataset(DatasetSpec spec) {
    int number = datasets.size();
    datasetNumbers.put(spec.name(), number);
    datasets.add(dataset(number, spec));
  }

  private Dataset dataset(int number, DatasetSpec spec) {
    return switch (spec.consumption()) {
      case Consumption.Shards _ -> new Dataset.ByShards(number, new ShardLedger(spec, lineage));
      case Consumption.Steps _ ->
          new Dataset.BySteps(number, new StepLedger(spec, new StepLedger.Image(0, 0, 0)));
    };
  }

  private void addWorker(WorkerId id) {
    Worker worker = new Worker(workers.size(), id);
    workers.add(worker);
    workerNumbers.put(id, worker.number);
  }

  private void leased(Event.ShardsLeased e, long atMillis) {
    shards(e.dataset())
        .leased(e.worker(), e.again(), e.freshFrom(), e.fresh(), e.ranges(), atMillis);
    Worker worker = workers.get(e.worker());
    worker.shardsOut += e.again().length + e.fresh();
    if (e.requestId() != 0) {
      worker.requestId = e.requestId();
      worker.requestDataset = e.dataset();
      worker.requestShards = numbers(e);
    }
  }

  /// The numbers of the shards that an event leases.
  static long[] numbers(Event.ShardsLeased e) {
    long[] numbers = java.util.Arrays.copyOf(e.again(), e.again().length + e.fresh());
    for (int i = 0; i < e.fresh(); i++) {
      numbers[e.again().length + i] = e.freshFrom() + i;
    }
    return numbers;
  }

  private void keep(long number, List<LedgerImage> ledgers) {
    lastCheckpoint = number;
    checkpoints.put(number, ledgers);
    while (checkpoints.size() > KEPT_CHECKPOINTS) {
      checkpoints.pollFirstEntry();
    }
  }

  private void restore(Event.CheckpointRestored e) {
    noShardLateBeforeMillis = Long.MIN_VALUE;
    lineage = e.lineage();
    restoreRequest = e.requestId();
    if (e.takenOverFrom().isEmpty()) {
      lastCheckpoint = Math.max(lastCheckpoint, e.number());
    }
    for (LedgerImage image : e.ledgers()) {
      setLedger(image);
    }
    for (Worker worker : workers) {
      worker.shardsOut = 0;
      worker.requestId = 0;
      worker.requestShards = new long[0];
    }
  }

  private void setLedger(LedgerImage image) {
    int number = datasetNumber(image.dataset());
    datasets.set(
        number,
        switch (image) {
          case LedgerImage.Shards(DatasetSpec spec, var ledger) ->
              new Dataset.ByShards(number, ShardLedger.of(spec, lineage, ledger));
          case LedgerImage.Steps(DatasetSpec spec, var ledger) ->
              new Dataset.BySteps(number, new StepLedger(spec, ledger));
        });
  }

  // Images.

  /// The whole state as a value.
  public JobImage image() {
    return new JobImage(
        job,
        events,
        ledgers(),
        workers.stream()
            .map(w ->
                new JobImage.WorkerImage(
                    w.id,
                    w.live,
                    w.reason,
                    w.shardsDone,
                    w.requestId,
                    w.requestDataset,
                    w.requestShards))
            .toList(),
        lineage,
        restoreRequest,
        lastCheckpoint,
        masterSinceMillis,
        new TreeMap<>(checkpoints),
        rendezvous.image(),
        training,
        nodes.image(),
        decisions);
  }

  /// The state that had this image.
  public static JobState of(JobImage image) {
    JobState state = new JobState(image.job());
    state.lineage = image.lineage();
    state.restoreRequest = image.restoreRequest();
    state.lastCheckpoint = image.lastCheckpoint();
    state.checkpoints.putAll(image.checkpoints());
    state.rendezvous = RendezvousState.of(image.rendezvous());
    state.training = image.training();
    state.nodes = NodeTable.of(image.nodes());
    state.decisions = image.decisions();
    image.datasets().forEach(state::addDataset);
    image.ledgers().forEach(state::setLedger);
    for (JobImage.WorkerImage worker : image.workers()) {
      state.addWorker(worker.id());
      Worker restored = state.workers.getLast();
      restored.live = worker.live();
      restored.reason = worker.reason();
      restored.shardsDone = worker.shardsDone();
      restored.requestId = worker.requestId();
      restored.requestDataset = worker.requestDataset();
      restored.requestShards = worker.requestShards();
    }
    for (LedgerImage ledger : image.ledgers()) {
      if (ledger instanceof LedgerImage.Shards(DatasetSpec _, var shards)) {
        shards.out().forEach(lease -> state.workers.get(lease.worker()).shardsOut++);
      }
    }
    state.events = image.events();
    state.masterSince(image.masterSinceMillis());
    return state;
  }
}

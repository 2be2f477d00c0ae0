package dev.pliant.cli.jobs;

import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.NodeStatus;
import dev.pliant.protocol.v1.WorkerStatus;
import dev.pliant.protocol.v1.WorldStatus;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// A job as its master describes it at one moment.
///
/// @param phaseReason why it is in its phase, for people; empty where there is nothing to say
/// @param nodes every node that ever was, in the order of their making
/// @param workersLive training processes that work
/// @param metrics what the training said of itself last
/// @param journalTrouble empty while the journal can be written
public record JobSnapshot(
    long epoch,
    JobPhase phase,
    String phaseReason,
    Counts counts,
    List<Node> nodes,
    World world,
    List<Dataset> datasets,
    int workersLive,
    long shardsOut,
    Map<String, Double> metrics,
    String journalTrouble) {

  /// How many nodes are wished, and between which bounds; all 0 where others start the processes.
  public record Counts(int wish, int min, int max) {}

  /// A node.
  ///
  /// @param reason why it ended, in a word; empty while it has not
  /// @param replaces the node in whose place it is; empty for none
  /// @param startedMillis and the others: since 1970, 0 where it has not happened
  /// @param activityMillis how long its processes spent in each activity
  public record Node(
      String name,
      NodePhase phase,
      String reason,
      String message,
      String replaces,
      int restarts,
      boolean released,
      long createdMillis,
      long startedMillis,
      long endedMillis,
      double cpu,
      double memoryMib,
      Map<String, Long> activityMillis) {
    public Node {
      activityMillis = Collections.unmodifiableMap(new TreeMap<>(activityMillis));
    }

    public boolean live() {
      return phase == NodePhase.RUNNING;
    }
  }

  /// The group that trains together.
  ///
  /// @param version 0 where there was none
  public record World(
      long version,
      List<String> members,
      boolean reforming,
      List<String> waiting,
      long formedMillis,
      long pausedMillis) {
    public static final World NONE = new World(0, List.of(), false, List.of(), 0, 0);

    public World {
      members = List.copyOf(members);
      waiting = List.copyOf(waiting);
    }
  }

  /// One dataset; records are counted over all epochs.
  ///
  /// @param epochs 0 for a stream, which has none
  /// @param nextStep the next step to commit, counted over all epochs; -1 where it is leased by
  ///   shards
  /// @param steps how many there are over all epochs
  public record Dataset(
      String name,
      long done,
      long out,
      long waiting,
      long epoch,
      long epochs,
      long nextStep,
      long steps,
      State state,
      String failure) {
    public long total() {
      return done + out + waiting;
    }
  }

  /// How a dataset stands.
  public enum State {
    OPEN,
    END,
    FAILED
  }

  public JobSnapshot {
    nodes = List.copyOf(nodes);
    datasets = List.copyOf(datasets);
    metrics = Collections.unmodifiableMap(new TreeMap<>(metrics));
  }

  public static JobSnapshot of(GetJobResponse job) {
    return new JobSnapshot(
        job.getMasterEpoch(),
        phase(job.getPhase()),
        job.getPhaseReason(),
        new Counts(job.getCounts().getWish(), job.getCounts().getMin(), job.getCounts().getMax()),
        job.getNodesList().stream().map(JobSnapshot::node).toList(),
        job.hasWorld() ? world(job.getWorld()) : World.NONE,
        job.getDatasetsList().stream().map(JobSnapshot::dataset).toList(),
        (int) job.getWorkersList().stream().filter(WorkerStatus::getLive).count(),
        job.getWorkersList().stream().mapToLong(WorkerStatus::getShardsOut).sum(),
        job.getMetricsMap(),
        job.getJournalTrouble());
  }

  private static JobPhase phase(dev.pliant.protocol.v1.JobPhase phase) {
    return switch (phase) {
      case JOB_PHASE_PENDING -> JobPhase.PENDING;
      case JOB_PHASE_SUSPENDED -> JobPhase.SUSPENDED;
      case JOB_PHASE_STOPPING -> JobPhase.STOPPING;
      case JOB_PHASE_SUCCEEDED -> JobPhase.SUCCEEDED;
      case JOB_PHASE_FAILED -> JobPhase.FAILED;
      case JOB_PHASE_STOPPED -> JobPhase.STOPPED;
      case JOB_PHASE_RUNNING, JOB_PHASE_UNSPECIFIED, UNRECOGNIZED -> JobPhase.RUNNING;
    };
  }

  private static Node node(NodeStatus node) {
    NodePhase phase = phase(node.getPhase());
    return new Node(
        node.getName(),
        phase,
        phase.ended() ? reason(node.getReason()) : "",
        node.getMessage(),
        node.getReplaces(),
        node.getRestarts(),
        node.getReleased(),
        node.getCreatedMs(),
        node.getStartedMs(),
        node.getEndedMs(),
        node.getCpu(),
        node.getMemoryMib(),
        node.getActivityMsMap());
  }

  private static NodePhase phase(dev.pliant.protocol.v1.NodePhase phase) {
    return switch (phase) {
      case NODE_PHASE_PENDING -> NodePhase.PENDING;
      case NODE_PHASE_RUNNING -> NodePhase.RUNNING;
      case NODE_PHASE_SUCCEEDED -> NodePhase.SUCCEEDED;
      case NODE_PHASE_FAILED -> NodePhase.FAILED;
      case NODE_PHASE_DELETED -> NodePhase.DELETED;
      case NODE_PHASE_INITIAL, NODE_PHASE_UNSPECIFIED, UNRECOGNIZED -> NodePhase.INITIAL;
    };
  }

  /// `EXIT_REASON_NO_HEARTBEAT` as `no heartbeat`.
  private static String reason(ExitReason reason) {
    return reason == ExitReason.EXIT_REASON_UNSPECIFIED
        ? "succeeded"
        : reason.name().replaceFirst("EXIT_REASON_", "").replace('_', ' ').toLowerCase(Locale.ROOT);
  }

  private static World world(WorldStatus world) {
    return new World(
        world.getVersion(),
        world.getMembersList(),
        world.getReforming(),
        world.getWaitingList(),
        world.getFormedMs(),
        world.getPausedMs());
  }

  private static Dataset dataset(DatasetProgress progress) {
    var spec = progress.getSpec();
    long size = spec.hasTable() ? spec.getTable().getSize() : spec.getText().getSize();
    long perEpoch = spec.hasSteps() ? Math.ceilDiv(size, spec.getSteps().getBatchSize()) : 0;
    return new Dataset(
        spec.getName(),
        progress.getRecordsDone(),
        progress.getRecordsOut(),
        progress.getRecordsWaiting(),
        progress.getEpoch(),
        spec.hasStream() ? 0 : spec.getEpochs(),
        spec.hasSteps() ? progress.getEpoch() * perEpoch + progress.getNextStep() : -1,
        perEpoch * spec.getEpochs(),
        state(progress.getState()),
        progress.hasFailure()
            ? "shard %,d failed for the last time with worker %s: %s"
                .formatted(
                    progress.getFailure().getShard(),
                    progress.getFailure().getWorker(),
                    progress.getFailure().getCause())
            : "");
  }

  private static State state(LeaseState state) {
    return switch (state) {
      case LEASE_STATE_END -> State.END;
      case LEASE_STATE_FAILED -> State.FAILED;
      case LEASE_STATE_LEASED, LEASE_STATE_WAIT, LEASE_STATE_UNSPECIFIED, UNRECOGNIZED ->
          State.OPEN;
    };
  }

  public long done() {
    return datasets.stream().mapToLong(Dataset::done).sum();
  }

  public long total() {
    return datasets.stream().mapToLong(Dataset::total).sum();
  }

  /// The datasets that are not at their end.
  public List<Dataset> unfinished() {
    return datasets.stream().filter(dataset -> dataset.state() != State.END).toList();
  }

  /// Nodes that run now.
  public long nodesLive() {
    return nodes.stream().filter(Node::live).count();
  }

  /// Nodes that were made in the place of another.
  public long relaunches() {
    return nodes.stream().filter(node -> !node.replaces().isEmpty()).count();
  }

  /// How often the group changed after it was first formed.
  public long changes() {
    return Math.max(0, world.version() - 1);
  }
}

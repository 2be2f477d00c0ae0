package dev.pliant.views;

import dev.pliant.model.NodeId;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.v1.Decision;
import dev.pliant.protocol.v1.DecisionSettled;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.JobEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Events of a journal in plain words: decisions, and what became of masters, nodes, worlds,
/// workers and checkpoints. Leases, reports and commits are too many and have none.
///
/// Events name workers and datasets by number. So [#note] has to see every event up to the one that
/// is shown, once and in order.
public final class EventText {
  private final List<String> workers = new ArrayList<>();
  private final List<String> datasets = new ArrayList<>();

  /// Remembers the name of a worker or a dataset that the event introduces.
  public void note(Event event) {
    if (event.hasDatasetCreated()) {
      datasets.add(event.getDatasetCreated().getSpec().getName());
    } else if (event.hasWorkerJoined()) {
      workers.add(event.getWorkerJoined().getName());
    }
  }

  /// Whether the event is about the node, or about a worker on it.
  public boolean concerns(Event event, NodeId node) {
    String name = node.toString();
    return switch (event.getKindCase()) {
      case NODE_ADDED ->
          name.equals(event.getNodeAdded().getNode())
              || name.equals(event.getNodeAdded().getReplaces());
      case NODE_MOVED -> name.equals(event.getNodeMoved().getNode());
      case NODE_ENDED -> name.equals(event.getNodeEnded().getNode());
      case WORKER_ENDED -> isOn(workers.get(event.getWorkerEnded().getWorker()), name);
      case MEMBER_GONE -> isOn(event.getMemberGone().getMember().getWorker(), name);
      case WORLD_FORMED ->
          event.getWorldFormed().getMembersList().stream().anyMatch(one -> isOn(one, name));
      case DECISION_MADE -> DecisionCodec.decode(event.getDecisionMade()).concerns(node);
      default -> false;
    };
  }

  private static boolean isOn(String worker, String node) {
    return worker.equals(node) || worker.startsWith(node + "-");
  }

  /// The event as people are shown it; empty where it is of a kind that is left out.
  public Optional<JobEvent> of(Event event, long sequence, long at) {
    return switch (event.getKindCase()) {
      case MASTER_STARTED ->
          told(sequence, at, "master", "epoch %d took over", event.getMasterStarted().getEpoch());
      case DATASET_CREATED ->
          told(
              sequence,
              at,
              "dataset",
              "'%s' was registered",
              event.getDatasetCreated().getSpec().getName());
      case DATASET_FAILED ->
          told(
              sequence,
              at,
              "dataset",
              "'%s' has failed: shard %,d, with worker %s: %s",
              datasets.get(event.getDatasetFailed().getDataset()),
              event.getDatasetFailed().getShard(),
              event.getDatasetFailed().getWorker(),
              event.getDatasetFailed().getCause());
      case WORKER_ENDED -> {
        var ended = event.getWorkerEnded();
        yield told(
            sequence,
            at,
            "worker",
            "%s ended (%s)%s",
            workers.get(ended.getWorker()),
            reason(ended.getReason()),
            because(ended.getMessage()));
      }
      case CHECKPOINT_TAKEN ->
          told(sequence, at, "checkpoint", "%d taken", event.getCheckpointTaken().getNumber());
      case CHECKPOINT_RESTORED ->
          told(
              sequence,
              at,
              "checkpoint",
              "%d restored; lineage %d begins",
              event.getCheckpointRestored().getNumber(),
              event.getCheckpointRestored().getLineage());
      case DECISION_MADE -> Optional.of(decision(event.getDecisionMade(), sequence, at));
      case DECISION_SETTLED -> settled(event.getDecisionSettled(), sequence, at);
      case MEMBER_GONE ->
          told(
              sequence,
              at,
              "member",
              "%s is out of the group%s",
              event.getMemberGone().getMember().getWorker(),
              because(event.getMemberGone().getWhy()));
      case COMMIT_REFUSED ->
          event.getCommitRefused().getConfirmed()
              ? told(
                  sequence,
                  at,
                  "world",
                  "%d: progress is not being recorded%s",
                  event.getCommitRefused().getVersion(),
                  because(event.getCommitRefused().getWhy()))
              : Optional.empty();
      case REFORM_WANTED ->
          told(
              sequence,
              at,
              "world",
              "%d is to end%s",
              event.getReformWanted().getVersion(),
              because(event.getReformWanted().getWhy()));
      case WORLD_FORMED ->
          told(
              sequence,
              at,
              "world",
              "%d formed: %s",
              event.getWorldFormed().getVersion(),
              String.join(", ", event.getWorldFormed().getMembersList()));
      case RENDEZVOUS_CLOSED ->
          told(
              sequence,
              at,
              "world",
              event.getRendezvousClosed().getComplete()
                  ? "there will be no further one; the training is complete%s"
                  : "there will be no further one%s",
              because(event.getRendezvousClosed().getWhy()));
      case NODE_ADDED ->
          told(
              sequence,
              at,
              "node",
              event.getNodeAdded().getReplaces().isEmpty()
                  ? "%s is to be started%s"
                  : "%s is to be started in the place of %s",
              event.getNodeAdded().getNode(),
              event.getNodeAdded().getReplaces());
      case NODE_MOVED ->
          told(
              sequence,
              at,
              "node",
              "%s is %s%s",
              event.getNodeMoved().getNode(),
              phase(event.getNodeMoved().getPhase()),
              because(event.getNodeMoved().getMessage()));
      case NODE_ENDED ->
          told(
              sequence,
              at,
              "node",
              "%s ended: %s%s",
              event.getNodeEnded().getNode(),
              phase(event.getNodeEnded().getPhase()),
              because(event.getNodeEnded().getMessage()));
      case JOB_PHASE_CHANGED ->
          told(
              sequence,
              at,
              "job",
              "%s%s",
              phase(event.getJobPhaseChanged().getPhase()),
              because(event.getJobPhaseChanged().getReason()));
      case JOB_RESTED ->
          told(sequence, at, "job", "suspended%s", because(event.getJobRested().getReason()));
      case JOB_RESUMED -> told(sequence, at, "job", "resumed");
      case REST_MISSED -> told(sequence, at, "job", "was suspended while no master ran");
      // Leases, commits and the like are too many, and what a newer master adds is not known.
      default -> Optional.empty();
    };
  }

  private static Optional<JobEvent> told(
      long sequence, long at, String kind, String message, Object... values) {
    return Optional.of(
        event(sequence, at, kind, String.format(Locale.ROOT, message, values)).build());
  }

  private static JobEvent.Builder event(long sequence, long at, String kind, String message) {
    return JobEvent.newBuilder()
        .setSequence(sequence)
        .setAtMs(at)
        .setKind(kind)
        .setMessage(message);
  }

  private static JobEvent decision(Decision decision, long sequence, long at) {
    String message = DecisionText.PLAIN.of(DecisionCodec.decode(decision).choice());
    return event(sequence, at, "decision", message).setDecision(decision).build();
  }

  private static Optional<JobEvent> settled(DecisionSettled settled, long sequence, long at) {
    return told(
        sequence,
        at,
        "outcome",
        "of decision %d: %s records/s before, %s after%s",
        settled.getDecision(),
        Phrases.number(settled.getRecordsPerSecondBefore()),
        Phrases.number(settled.getRecordsPerSecondAfter()),
        switch (DecisionCodec.decode(settled).prediction()) {
          case NONE -> "";
          case HELD -> "; the prediction held";
          case MISSED -> "; fewer than predicted";
        });
  }

  /// `NODE_PHASE_RUNNING` as `running`.
  private static String phase(Enum<?> phase) {
    return words(phase.name().replaceFirst("(NODE|JOB)_PHASE_", ""));
  }

  /// `EXIT_REASON_NO_HEARTBEAT` as `no heartbeat`.
  private static String reason(ExitReason reason) {
    return reason == ExitReason.EXIT_REASON_UNSPECIFIED
        ? "succeeded"
        : words(reason.name().replaceFirst("EXIT_REASON_", ""));
  }

  private static String because(String why) {
    return why.isEmpty() ? "" : ": " + why.lines().findFirst().orElse("");
  }

  private static String words(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

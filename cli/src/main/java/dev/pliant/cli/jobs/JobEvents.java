package dev.pliant.cli.jobs;

import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.DecisionMade;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.Input;
import dev.pliant.protocol.v1.ExitReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Reads from a job's journal what people call events: decisions, and what became of masters,
/// nodes, worlds, workers and checkpoints. The many leases and commits are left out; `pliant
/// verify` counts those. May be read beside a master that writes.
public final class JobEvents {
  private final JobId job;
  private final Path journal;
  private final List<String> workers = new ArrayList<>();
  private final List<String> datasets = new ArrayList<>();
  private long read;

  public JobEvents(JobId job, Path jobFolder) {
    this.job = job;
    this.journal = jobFolder.resolve("journal");
    if (!Files.isDirectory(journal)) {
      throw new PliantException(
          ErrorCode.UNKNOWN_JOB, "job %s has no journal here (%s).".formatted(job, journal));
    }
  }

  /// Gives `sink` everything since the last call, in order.
  public void more(Consumer<JobEvent> sink) throws IOException {
    try (JournalStore store = JournalStores.open(JournalLocation.folder(journal), job)) {
      store.replay(
          read,
          (batch, _) -> {
            Instant at = Instant.ofEpochMilli(batch.getAtMs());
            long sequence = batch.getFirstSequence();
            for (Event event : batch.getEventsList()) {
              if (sequence > read) {
                told(event, sequence, at).ifPresent(sink);
                read = sequence;
              }
              sequence++;
            }
          });
    }
  }

  /// The newest, at most `count` of them, oldest first.
  public List<JobEvent> last(int count) throws IOException {
    List<JobEvent> all = new ArrayList<>();
    more(event -> {
      all.add(event);
      if (all.size() > count) {
        all.removeFirst();
      }
    });
    return all;
  }

  private Optional<JobEvent> told(Event event, long sequence, Instant at) {
    return switch (event.getKindCase()) {
      case MASTER_STARTED ->
          told(sequence, at, "master", "epoch %d took over", event.getMasterStarted().getEpoch());
      case DATASET_CREATED -> {
        datasets.add(event.getDatasetCreated().getSpec().getName());
        yield told(sequence, at, "dataset", "'%s' was registered", datasets.getLast());
      }
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
      case WORKER_JOINED -> {
        workers.add(event.getWorkerJoined().getName());
        yield Optional.empty();
      }
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
          told(sequence, at, "job", "rests%s", because(event.getJobRested().getReason()));
      case JOB_RESUMED -> told(sequence, at, "job", "goes on after its rest");
      case REST_MISSED -> told(sequence, at, "job", "rested while no master was there");
      // Leases, commits and the like are too many, and what a newer master adds is not known.
      default -> Optional.empty();
    };
  }

  private static Optional<JobEvent> told(
      long sequence, Instant at, String kind, String message, Object... values) {
    return Optional.of(
        new JobEvent(sequence, at, kind, String.format(Locale.ROOT, message, values), Map.of()));
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

  private static JobEvent decision(DecisionMade decision, long sequence, Instant at) {
    Map<String, String> inputs = new LinkedHashMap<>();
    for (Input input : decision.getInputsList()) {
      inputs.put(input.getName(), input.getValue());
    }
    return new JobEvent(
        sequence,
        at,
        "decision",
        "%s: %s (%s)".formatted(decision.getSubject(), decision.getPlan(), decision.getRule()),
        inputs);
  }

  private static String words(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

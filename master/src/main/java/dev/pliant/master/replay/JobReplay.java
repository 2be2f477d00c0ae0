package dev.pliant.master.replay;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Step;
import dev.pliant.master.journal.CommandCodec;
import dev.pliant.master.journal.EventCodec;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStore.Position;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.replay.Replayed.Difference;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.DecidedCommand;
import dev.pliant.protocol.journal.v1.DecidedCommand.CommandCase;
import dev.pliant.protocol.journal.v1.Event;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decides everything in a job's journal again, from the first command on, and compares the events
/// with the recorded ones byte for byte. Leases and shard reports are the exception: their events
/// are applied as they are. The journal is only read, so a master may be writing it.
public final class JobReplay {
  private final JobId job;
  private final JobState state;
  private long commands;
  private long compared;
  private long applied;
  private long decisions;
  private @Nullable Instant from;
  private @Nullable Instant to;

  private JobReplay(JobId job) {
    this.job = job;
    this.state = new JobState(job);
  }

  public static Replayed of(JobId job, JournalLocation journal) throws IOException {
    JobReplay replay = new JobReplay(job);
    Difference difference = null;
    try (JournalStore store = JournalStores.open(journal, job)) {
      store.replay(0, replay::visit);
    } catch (Differs found) {
      difference = found.difference;
    }
    return replay.result(Optional.ofNullable(difference));
  }

  private Replayed result(Optional<Difference> difference) {
    return new Replayed(
        job,
        commands,
        compared,
        applied,
        decisions,
        Optional.ofNullable(from),
        Optional.ofNullable(to),
        difference);
  }

  /// Ends the reading at the first difference.
  private static final class Differs extends IOException {
    private static final long serialVersionUID = 1;
    private final transient Difference difference;

    Differs(Difference difference) {
      this.difference = difference;
    }
  }

  private void visit(Batch batch, Position position) throws Differs {
    Instant at = Instant.ofEpochMilli(batch.getAtMs());
    from = from == null ? at : from;
    to = at;
    List<Event> events = batch.getEventsList();
    int next = 0;
    for (DecidedCommand command : batch.getCommandsList()) {
      int end = next + command.getMoreEvents() + 1;
      if (end > events.size()) {
        throw new PliantException(
            ErrorCode.DAMAGED_JOURNAL,
            "the batch at byte %d of %s in the journal of job %s has %d events, and its commands own more."
                .formatted(position.offset(), position.segment(), job, events.size()));
      }
      Recorded recorded =
          new Recorded(batch, position, state.events() + 1, command, events.subList(next, end));
      if (command.getCommandCase() == CommandCase.COMMAND_NOT_SET) {
        apply(recorded);
      } else {
        decide(recorded);
      }
      next = end;
    }
    List<Event> followed = events.subList(next, events.size());
    follow(new Recorded(batch, position, state.events() + 1, null, followed));
  }

  /// What the journal holds of a command, or of what followed from a step.
  private record Recorded(
      Batch batch,
      Position position,
      long firstSequence,
      @Nullable DecidedCommand command,
      List<Event> events) {
    Differs differs(int index, String recorded, String decided) {
      return new Differs(
          new Difference(
              position.segment(),
              position.offset(),
              firstSequence + index,
              Instant.ofEpochMilli(batch.getAtMs()),
              command == null ? "" : text(command.toBuilder().clearMoreEvents().build()),
              recorded,
              decided));
    }

    String event(int index) {
      return index < events.size() ? text(events.get(index)) : "";
    }

    private static String text(Message message) {
      return TextFormat.printer().emittingSingleLine(true).printToString(message);
    }
  }

  private void apply(Recorded recorded) throws Differs {
    try {
      for (Event event : recorded.events) {
        state.apply(EventCodec.decode(event), recorded.batch.getAtMs());
      }
    } catch (PliantException | IllegalStateException | IndexOutOfBoundsException e) {
      int index = (int) (state.events() - recorded.firstSequence);
      throw recorded.differs(index, recorded.event(index), "it does not fit the state: " + e);
    }
    applied += recorded.events.size();
  }

  private void decide(Recorded recorded) throws Differs {
    DecidedCommand command = recorded.command;
    if (command == null) {
      return;
    }
    commands++;
    Step.Outcome outcome;
    try {
      outcome =
          JobMachine.decideAgain(state, CommandCodec.decode(command), recorded.batch.getAtMs());
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw recorded.differs(0, recorded.event(0), "deciding it fails: " + e);
    }
    PliantException refusal = outcome.refusal();
    if (refusal != null) {
      throw recorded.differs(
          0, recorded.event(0), "the command is refused: " + refusal.getMessage());
    }
    compare(recorded, outcome.decided().getFirst().events());
  }

  private void follow(Recorded recorded) throws Differs {
    List<dev.pliant.machine.Event> followed;
    try {
      followed =
          recorded.batch.getStepGoesOn()
              ? List.of()
              : JobMachine.followAgain(state, recorded.batch.getAtMs());
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw recorded.differs(0, recorded.event(0), "following the consequences fails: " + e);
    }
    compare(recorded, followed);
  }

  private void compare(Recorded recorded, List<dev.pliant.machine.Event> decided) throws Differs {
    for (int i = 0; i < decided.size(); i++) {
      Event again = EventCodec.encode(decided.get(i));
      boolean same =
          i < recorded.events.size()
              && again.toByteString().equals(recorded.events.get(i).toByteString());
      if (!same) {
        throw recorded.differs(i, recorded.event(i), Recorded.text(again));
      }
      compared++;
      decisions += again.hasDecisionMade() ? 1 : 0;
    }
    if (recorded.events.size() > decided.size()) {
      throw recorded.differs(decided.size(), recorded.event(decided.size()), "");
    }
  }
}

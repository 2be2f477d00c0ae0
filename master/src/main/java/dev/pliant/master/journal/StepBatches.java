package dev.pliant.master.journal;

import dev.pliant.machine.Command;
import dev.pliant.machine.Event;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.Step;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.DecidedCommand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A step of the machine as the journal holds it: one batch, or several for a large step. What
/// followed from the commands is in the last batch only. So a step whose last batches are lost can
/// still be decided again: what followed then follows at the next step, as it did for the master
/// that went on from there.
public final class StepBatches {
  /// A batch with more than this ends, and the step goes on in another one.
  private static final int FULL_BYTES = 8 << 20;

  /// A batch with whole requests.
  ///
  /// @param requests how many requests of the step are on disk once this batch is
  public record Part(Batch batch, int requests) {}

  private final List<Part> parts = new ArrayList<>();
  private final long atMillis;
  private final int fullBytes;

  private Batch.Builder batch;

  /// The entry that events of leases and reports are added to; it is the last one of the batch.
  private DecidedCommand.@Nullable Builder eventsAlone;

  private int bytes;

  private StepBatches(long firstSequence, long atMillis, int fullBytes) {
    this.atMillis = atMillis;
    this.fullBytes = fullBytes;
    this.batch = begin(firstSequence);
  }

  /// The batches of a step, in order; none where it has no events.
  ///
  /// @param firstSequence the number of its first event
  public static List<Part> of(Step step, long firstSequence, long atMillis) {
    return of(step, firstSequence, atMillis, FULL_BYTES);
  }

  static List<Part> of(Step step, long firstSequence, long atMillis, int fullBytes) {
    StepBatches batches = new StepBatches(firstSequence, atMillis, fullBytes);
    List<Step.Outcome> outcomes = step.outcomes();
    for (int i = 0; i < outcomes.size(); i++) {
      batches.add(outcomes.get(i), i + 1);
    }
    batches.addEvents(step.followed());
    batches.end(outcomes.size());
    return batches.parts;
  }

  private Batch.Builder begin(long firstSequence) {
    return Batch.newBuilder().setFirstSequence(firstSequence).setAtMs(atMillis);
  }

  private void add(Step.Outcome outcome, int requests) {
    List<JobMachine.Decided> decided = outcome.decided();
    for (int i = 0; i < decided.size(); i++) {
      List<Event> events = decided.get(i).events();
      if (!events.isEmpty()) {
        addCommand(outcome.commands().get(i), events.size());
        addEvents(events);
      }
    }
    if (bytes >= fullBytes) {
      batch.setStepGoesOn(true);
      long next = batch.getFirstSequence() + batch.getEventsCount();
      end(requests);
      batch = begin(next);
    }
  }

  private void addCommand(Command command, int events) {
    if (CommandCodec.eventsAreEnough(command)) {
      DecidedCommand.Builder open = eventsAlone;
      if (open == null) {
        eventsAlone = batch.addCommandsBuilder().setMoreEvents(events - 1);
      } else {
        open.setMoreEvents(open.getMoreEvents() + events);
      }
    } else {
      DecidedCommand entry = CommandCodec.encode(command).setMoreEvents(events - 1).build();
      batch.addCommands(entry);
      bytes += entry.getSerializedSize();
      eventsAlone = null;
    }
  }

  private void addEvents(List<Event> events) {
    for (Event event : events) {
      var encoded = EventCodec.encode(event);
      batch.addEvents(encoded);
      bytes += encoded.getSerializedSize();
    }
  }

  private void end(int requests) {
    if (batch.getEventsCount() > 0) {
      parts.add(new Part(batch.build(), requests));
    }
    eventsAlone = null;
    bytes = 0;
  }
}

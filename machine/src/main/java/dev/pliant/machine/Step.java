package dev.pliant.machine;

import dev.pliant.machine.JobMachine.Decided;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The result of [JobMachine#step]. Its events are in the order in which they were applied: those
/// of each request, command by command, then those that followed.
///
/// @param outcomes one for each request, in order
/// @param followed what followed from the state and the time once all requests were decided
/// @param desired what the machine wants of everything outside it after this step
public record Step(List<Outcome> outcomes, List<Event> followed, Outlook desired) {
  /// The result of one request.
  ///
  /// @param commands the commands of the request; the first of them were accepted
  /// @param decided one for each command that was accepted, in order: its own events and its answer
  /// @param refusal why the next command was refused, which ends the request; null where all were
  ///   accepted
  public record Outcome(
      List<Command> commands, List<Decided> decided, @Nullable PliantException refusal) {
    public List<Answer> answers() {
      List<Answer> answers = new ArrayList<>(decided.size());
      decided.forEach(one -> answers.add(one.answer()));
      return answers;
    }
  }

  /// All events, in the order in which they were applied.
  public List<Event> events() {
    List<Event> events = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      outcome.decided().forEach(decided -> events.addAll(decided.events()));
    }
    events.addAll(followed);
    return events;
  }
}

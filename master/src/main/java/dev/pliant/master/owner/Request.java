package dev.pliant.master.owner;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.model.PliantException;
import java.util.List;
import java.util.concurrent.Executor;

/// Commands to be decided one after the other, and who hears of it. Exactly one of the reply's
/// methods is called, once; it must not block.
///
/// @param teller what runs the reply: it is handed all replies of a batch that name it in a single
///   task, in the order of their requests. Only what cannot even wait is refused at once, by the
///   thread that submits it.
public record Request(List<Command> commands, Reply reply, Executor teller) {
  public Request {
    commands = List.copyOf(commands);
  }

  /// Told by the owner's own thread.
  public Request(List<Command> commands, Reply reply) {
    this(commands, reply, Runnable::run);
  }

  /// Who hears of it.
  public interface Reply {
    /// Every command was taken; an answer for each, in order. What they say is on disk.
    void answer(List<Answer> answers);

    /// One command was refused, or nothing could be written. Those before it may have been taken.
    void fail(PliantException why);
  }
}

package dev.pliant.master.owner;

import dev.pliant.master.machine.Answer;
import dev.pliant.master.machine.Command;
import dev.pliant.model.PliantException;
import java.util.List;

/// Commands to be decided one after the other, and who hears of it. Exactly one of the reply's
/// methods is called, once, by the owner's thread; it must not block.
public record Request(List<Command> commands, Reply reply) {
  public Request {
    commands = List.copyOf(commands);
  }

  /// Who hears of it.
  public interface Reply {
    /// Every command was taken; an answer for each, in order. What they say is on disk.
    void answer(List<Answer> answers);

    /// One command was refused, or nothing could be written. Those before it may have been taken.
    void fail(PliantException why);
  }
}

package dev.pliant.master.service;

import dev.pliant.master.machine.Answer;
import dev.pliant.master.machine.Command;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.model.PliantException;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/// Carries a unary call to the owner and its answer back.
final class Calls {
  private final JobOwner owner;

  Calls(JobOwner owner) {
    this.owner = owner;
  }

  long epoch() {
    return owner.epoch();
  }

  JobOwner owner() {
    return owner;
  }

  /// Answers a call: reads the command from the message, has it decided, makes the message of its
  /// answer.
  ///
  /// @param answerType what the machine answers to such a command
  <A extends Answer, M> void answer(
      StreamObserver<M> caller,
      Supplier<Command> command,
      Class<A> answerType,
      Function<A, M> message) {
    Command read;
    try {
      read = command.get();
    } catch (PliantException bad) {
      caller.onError(Faults.toGrpc(bad));
      return;
    }
    owner.submit(
        new Request(
            List.of(read),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {
                caller.onNext(message.apply(answerType.cast(answers.getFirst())));
                caller.onCompleted();
              }

              @Override
              public void fail(PliantException why) {
                caller.onError(Faults.toGrpc(why));
              }
            }));
  }
}

package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.rpc.Faults;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries a unary call to the owner and its answer back.
final class Calls {
  private static final Logger log = LoggerFactory.getLogger(Calls.class);

  private final JobOwner owner;
  private final NetworkThreads network;

  Calls(JobOwner owner, NetworkThreads network) {
    this.owner = owner;
    this.network = network;
  }

  long epoch() {
    return owner.epoch();
  }

  NetworkThreads network() {
    return network;
  }

  JobOwner owner() {
    return owner;
  }

  /// An answer that cannot be said. The caller must hear of it, or it would wait for ever.
  static PliantException defect(RuntimeException e) {
    log.error("an answer could not be built", e);
    return new PliantException(
        ErrorCode.INTERNAL, "what was asked is done, but its answer met a defect: " + e, e);
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
                M built;
                try {
                  built = message.apply(answerType.cast(answers.getFirst()));
                } catch (PliantException e) {
                  fail(e);
                  return;
                } catch (RuntimeException e) {
                  fail(defect(e));
                  return;
                }
                caller.onNext(built);
                caller.onCompleted();
              }

              @Override
              public void fail(PliantException why) {
                caller.onError(Faults.toGrpc(why));
              }
            },
            network.current()));
  }
}

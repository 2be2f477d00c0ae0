package dev.pliant.agent.relay;

import dev.pliant.agent.master.MasterConnection;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One `Work` call: says what it is told to and hands on what it hears. Whoever opened it decides.
final class WorkStream {
  /// What is heard on a stream, from the network's thread; must not block.
  sealed interface Heard {
    WorkStream stream();

    record Answer(WorkStream stream, WorkResponse response) implements Heard {}

    record Ended(WorkStream stream, Throwable why) implements Heard {}
  }

  private final Consumer<Heard> listener;
  private @Nullable ClientCallStreamObserver<WorkRequest> requests;

  private WorkStream(Consumer<Heard> listener) {
    this.listener = listener;
  }

  /// Opens a stream; that it failed is heard like anything else.
  static WorkStream open(MasterConnection master, Consumer<Heard> listener) {
    WorkStream stream = new WorkStream(listener);
    try {
      master.dataAsync().work(stream.new Ear());
    } catch (RuntimeException e) {
      listener.accept(new Heard.Ended(stream, e));
    }
    return stream;
  }

  void send(WorkRequest message) {
    ClientCallStreamObserver<WorkRequest> call = requests;
    if (call == null) {
      return; // It never began, which is heard.
    }
    try {
      call.onNext(message);
    } catch (IllegalStateException e) {
      listener.accept(new Heard.Ended(this, Status.UNAVAILABLE.withCause(e).asRuntimeException()));
    }
  }

  /// Ends it in order: nothing more will be said.
  void close() {
    ClientCallStreamObserver<WorkRequest> call = requests;
    if (call != null) {
      try {
        call.onCompleted();
      } catch (IllegalStateException _) {
        // It has ended of itself.
      }
    }
  }

  /// Ends it at once, answers under way or not.
  void cancel(String why) {
    ClientCallStreamObserver<WorkRequest> call = requests;
    if (call != null) {
      call.cancel(why, null);
    }
  }

  private final class Ear implements ClientResponseObserver<WorkRequest, WorkResponse> {
    @Override
    public void beforeStart(ClientCallStreamObserver<WorkRequest> call) {
      requests = call;
    }

    @Override
    public void onNext(WorkResponse response) {
      listener.accept(new Heard.Answer(WorkStream.this, response));
    }

    @Override
    public void onError(Throwable why) {
      listener.accept(new Heard.Ended(WorkStream.this, why));
    }

    @Override
    public void onCompleted() {
      listener.accept(
          new Heard.Ended(
              WorkStream.this,
              Status.UNAVAILABLE
                  .withDescription("the master ended the stream.")
                  .asRuntimeException()));
    }
  }
}

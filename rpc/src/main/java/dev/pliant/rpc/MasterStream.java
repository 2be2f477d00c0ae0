package dev.pliant.rpc;

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One call that streams both ways: says what it is told to and hands on what it hears. Whoever
/// opened it decides.
///
/// @param <Q> what is said
/// @param <A> what is heard
public final class MasterStream<Q, A> {
  /// What is heard on a stream, from the network's thread; must not block.
  public sealed interface Heard<Q, A> {
    MasterStream<Q, A> stream();

    /// The master has said something.
    record Said<Q, A>(MasterStream<Q, A> stream, A answer) implements Heard<Q, A> {}

    /// The stream is over; an orderly end by the master is one as well.
    record Ended<Q, A>(MasterStream<Q, A> stream, Throwable why) implements Heard<Q, A> {}
  }

  private final Consumer<Heard<Q, A>> listener;
  private @Nullable ClientCallStreamObserver<Q> requests;

  private MasterStream(Consumer<Heard<Q, A>> listener) {
    this.listener = listener;
  }

  /// Opens a stream; that it failed is heard like anything else.
  ///
  /// @param call begins the call, given who listens
  public static <Q, A> MasterStream<Q, A> open(
      Function<StreamObserver<A>, StreamObserver<Q>> call, Consumer<Heard<Q, A>> listener) {
    MasterStream<Q, A> stream = new MasterStream<>(listener);
    try {
      var _ = call.apply(stream.new Ear());
    } catch (RuntimeException e) {
      listener.accept(new Heard.Ended<>(stream, e));
    }
    return stream;
  }

  public void send(Q message) {
    ClientCallStreamObserver<Q> call = requests;
    if (call == null) {
      return; // It never began, which is heard.
    }
    try {
      call.onNext(message);
    } catch (IllegalStateException e) {
      listener.accept(
          new Heard.Ended<>(this, Status.UNAVAILABLE.withCause(e).asRuntimeException()));
    }
  }

  /// Ends it in order: nothing more will be said.
  public void close() {
    ClientCallStreamObserver<Q> call = requests;
    if (call != null) {
      try {
        call.onCompleted();
      } catch (IllegalStateException _) {
        // It has ended of itself.
      }
    }
  }

  /// Ends it at once, answers under way or not.
  public void cancel(String why) {
    ClientCallStreamObserver<Q> call = requests;
    if (call != null) {
      call.cancel(why, null);
    }
  }

  private final class Ear implements ClientResponseObserver<Q, A> {
    @Override
    public void beforeStart(ClientCallStreamObserver<Q> call) {
      requests = call;
    }

    @Override
    public void onNext(A answer) {
      listener.accept(new Heard.Said<>(MasterStream.this, answer));
    }

    @Override
    public void onError(Throwable why) {
      listener.accept(new Heard.Ended<>(MasterStream.this, why));
    }

    @Override
    public void onCompleted() {
      listener.accept(
          new Heard.Ended<>(
              MasterStream.this,
              Status.UNAVAILABLE
                  .withDescription("the master ended the stream.")
                  .asRuntimeException()));
    }
  }
}

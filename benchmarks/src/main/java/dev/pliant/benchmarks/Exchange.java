package dev.pliant.benchmarks;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What one caller does over and over: a call, or a call and the one that must follow it. It never
/// blocks; the answer to the last call says that it is over.
interface Exchange {
  /// Begins one.
  void begin(Channel channel, End end);

  /// How one ended.
  interface End {
    void done();

    void failed(Throwable why);
  }

  /// Makes a unary call and hands on its answer.
  static <Q, A> void call(
      Channel channel, MethodDescriptor<Q, A> method, Q request, End end, Consumer<A> then) {
    var options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
    ClientCalls.asyncUnaryCall(
        channel.newCall(method, options),
        request,
        new StreamObserver<A>() {
          private @Nullable A answer;

          @Override
          public void onNext(A value) {
            answer = value;
          }

          @Override
          public void onError(Throwable why) {
            end.failed(why);
          }

          @Override
          public void onCompleted() {
            try {
              if (answer != null) {
                then.accept(answer);
              }
            } catch (RuntimeException e) {
              end.failed(e);
            }
          }
        });
  }
}

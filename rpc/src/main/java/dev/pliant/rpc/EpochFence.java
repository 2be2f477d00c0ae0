package dev.pliant.rpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Refuses the word of a master that another has followed. Every answer carries its master's epoch;
/// one below the highest ever seen never reaches the caller, and its call fails as
/// [ErrorCode#FENCED].
final class EpochFence implements ClientInterceptor {
  private static final String FIELD = "master_epoch";

  private final AtomicLong highest = new AtomicLong();

  long highest() {
    return highest.get();
  }

  /// Takes note of an epoch; says whether it may still be listened to.
  boolean admits(long epoch) {
    return epoch == 0 || highest.accumulateAndGet(epoch, EpochFence::later) == epoch;
  }

  private static long later(long left, long right) {
    return Long.compareUnsigned(left, right) >= 0 ? left : right;
  }

  static StatusRuntimeException fenced(long epoch, long highest) {
    String message =
        "a master of epoch %d answered, but one of epoch %d has taken over; its word no longer counts."
            .formatted(epoch, highest);
    return Faults.toGrpcWithoutHint(new PliantException(ErrorCode.FENCED, message));
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(new FencedListener<>(this, listener), headers);
      }
    };
  }

  private final class FencedListener<A> extends SimpleForwardingClientCallListener<A> {
    private final ClientCall<?, A> call;
    private @Nullable StatusRuntimeException refused;

    FencedListener(ClientCall<?, A> call, ClientCall.Listener<A> listener) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(A message) {
      if (refused != null) {
        return;
      }
      long epoch = epochOf(message);
      if (admits(epoch)) {
        super.onMessage(message);
      } else {
        refused = fenced(epoch, highest());
        call.cancel("an older master's word", refused);
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      StatusRuntimeException fenced = refused;
      if (fenced == null) {
        super.onClose(status, trailers);
      } else {
        Metadata why = fenced.getTrailers();
        super.onClose(fenced.getStatus(), why == null ? new Metadata() : why);
      }
    }
  }

  private static long epochOf(Object answer) {
    if (!(answer instanceof Message message)) {
      return 0;
    }
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(FIELD);
    return field == null ? 0 : (long) message.getField(field);
  }
}

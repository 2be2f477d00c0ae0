package dev.pliant.agent.relay;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a [Relay]'s thread has still to be told. Once it is closed, every event is refused, those
/// that came too late included: nobody waits for an answer that will not come.
final class RelayInbox {
  /// More than can be on their way at once: a request a connection, eight answers, a few words.
  private static final int CAPACITY = 4_096;

  private final BlockingQueue<RelayEvent> events = new LinkedBlockingQueue<>(CAPACITY);
  private final Consumer<RelayEvent> refuse;
  private volatile boolean closed;

  RelayInbox(Consumer<RelayEvent> refuse) {
    this.refuse = refuse;
  }

  void tell(RelayEvent event) {
    try {
      events.put(event);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      refuse.accept(event);
    }
    if (closed) {
      refuseAll();
    }
  }

  /// The next event, or null where none has come in time.
  @Nullable RelayEvent poll(long nanos) throws InterruptedException {
    return events.poll(nanos, TimeUnit.NANOSECONDS);
  }

  /// The next event, or null where there is none.
  @Nullable RelayEvent poll() {
    return events.poll();
  }

  void close() {
    closed = true;
    refuseAll();
  }

  private void refuseAll() {
    RelayEvent event = events.poll();
    while (event != null) {
      refuse.accept(event);
      event = events.poll();
    }
  }
}

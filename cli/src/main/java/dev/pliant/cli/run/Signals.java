package dev.pliant.cli.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Hears SIGINT, SIGTERM and SIGHUP in the place of the JVM, which would end the process at the
/// first: so a job can be ended in order, and a second signal can hasten that.
final class Signals implements AutoCloseable {
  private final Map<Signal, SignalHandler> before = new LinkedHashMap<>();
  private final AtomicInteger first = new AtomicInteger();

  private Signals() {}

  /// @param heard is run at every signal
  static Signals heardBy(Runnable heard) {
    Signals signals = new Signals();
    for (String name : List.of("INT", "TERM", "HUP")) {
      Signal signal = new Signal(name);
      signals.before.put(
          signal,
          Signal.handle(
              signal,
              caught -> {
                signals.first.compareAndSet(0, caught.getNumber());
                heard.run();
              }));
    }
    return signals;
  }

  /// The number of the first signal that came, or 0.
  int first() {
    return first.get();
  }

  @Override
  public void close() {
    before.forEach(Signal::handle);
  }
}

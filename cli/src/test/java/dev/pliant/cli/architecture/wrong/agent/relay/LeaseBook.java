package dev.pliant.cli.architecture.wrong.agent.relay;

import java.util.concurrent.atomic.AtomicLong;

/// Wrong: a class that decides reads the clock, and is made for several threads.
public final class LeaseBook {
  private final AtomicLong since = new AtomicLong(System.nanoTime());

  public long since() {
    return since.get();
  }
}

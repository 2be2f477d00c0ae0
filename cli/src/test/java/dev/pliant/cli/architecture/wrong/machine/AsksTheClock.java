package dev.pliant.cli.architecture.wrong.machine;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Wrong: the same question has another answer tomorrow.
public final class AsksTheClock {
  private AsksTheClock() {}

  public static List<Object> ask() {
    return List.of(
        Instant.now(),
        System.currentTimeMillis(),
        System.nanoTime(),
        Clock.systemUTC(),
        InstantSource.system());
  }
}

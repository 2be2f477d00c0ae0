package dev.pliant.cli.architecture.wrong.machine.shards;

import java.util.List;
import java.util.Random;
import java.util.UUID;

/// Wrong: no seed replays it.
public final class RollsDice {
  private RollsDice() {}

  public static List<Object> roll() {
    return List.of(Math.random(), new Random(), UUID.randomUUID());
  }
}

package dev.pliant.cli.architecture.wrong.machine;

/// Wrong: a decision that goes on by itself.
public final class StartsAThread {
  private StartsAThread() {}

  public static Thread start() {
    return Thread.ofVirtual().start(() -> {});
  }
}

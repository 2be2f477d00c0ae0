package dev.pliant.cli;

import java.io.IOException;
import java.time.Duration;

/// Ends this process together with the one that started it: standard input is a pipe from there,
/// and its end is the parent's end, however that came about.
final class ParentWatch {
  private static final Duration GRACE = Duration.ofSeconds(75);

  private ParentWatch() {}

  static void start() {
    start(() -> System.exit(Faults.FAILED));
  }

  /// @param end ends this process in order
  static void start(Runnable end) {
    Thread.ofPlatform().daemon().name("parent-watch").start(() -> watch(end));
  }

  private static void watch(Runnable end) {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever said here; only the end matters.
      }
    } catch (IOException e) {
      // A pipe that cannot be read has no parent at its other end.
    }
    // Should an orderly end get stuck, there is nobody left who would notice.
    Thread.ofPlatform().daemon().name("last-resort").start(ParentWatch::haltAfterGrace);
    end.run();
  }

  private static void haltAfterGrace() {
    try {
      Thread.sleep(GRACE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(Faults.FAILED);
  }
}

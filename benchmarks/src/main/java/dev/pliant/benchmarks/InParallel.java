package dev.pliant.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Calls that are made so many at a time.
final class InParallel {
  private static final int AT_A_TIME = 16;

  private InParallel() {}

  interface Numbered {
    Object run(int number) throws Exception;
  }

  /// Does the work for 0, 1, … and returns when all of it is done.
  static void run(int count, Numbered work) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
      List<Callable<Object>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        all.add(() -> work.run(number));
      }
      for (Future<Object> each : threads.invokeAll(all)) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}

package dev.pliant.operator.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/// Calls of the API server: many at once, but never more than it takes.
final class Calls implements AutoCloseable {
  private static final int AT_ONCE = 32;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore permits = new Semaphore(AT_ONCE);

  /// Makes all calls and waits for all of them; then fails as the first that failed.
  void all(List<? extends Runnable> calls) throws InterruptedException {
    if (calls.size() == 1) {
      one(calls.getFirst());
      return;
    }
    List<Future<?>> futures = new ArrayList<>();
    for (Runnable call : calls) {
      Callable<Boolean> bounded =
          () -> {
            one(call);
            return true;
          };
      futures.add(threads.submit(bounded));
    }
    RuntimeException first = null;
    for (Future<?> future : futures) {
      try {
        future.get();
      } catch (ExecutionException e) {
        if (first == null) {
          first =
              e.getCause() instanceof RuntimeException cause
                  ? cause
                  : new KubernetesClientException("a call failed", e.getCause());
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void one(Runnable call) throws InterruptedException {
    permits.acquire();
    try {
      call.run();
    } finally {
      permits.release();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}

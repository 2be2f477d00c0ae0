package dev.pliant.benchmarks;

import dev.pliant.operator.cluster.SlimReading;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Watches pods of one label come to run and go again, at the least cost: it shares the machine
/// with what is measured.
final class PodWave implements ResourceEventHandler<Pod>, AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<String> running = new HashSet<>();
  private final Set<String> present = new HashSet<>();
  private final KubernetesClient client;
  private final SharedIndexInformer<Pod> informer;

  PodWave(ClusterSpace space, String label, String value) {
    client = SlimReading.connect(space.client().getConfiguration());
    informer =
        client.pods().inNamespace(space.namespace()).withLabel(label, value).runnableInformer(0);
    informer.itemStore(new Slim());
    informer.addEventHandler(this);
    var _ = informer.start();
  }

  /// Of ten thousand pods only what is asked for is kept.
  private static final class Slim extends BasicItemStore<Pod> {
    private Slim() {
      super(Cache::metaNamespaceKeyFunc);
    }

    @Override
    public Pod put(String key, Pod pod) {
      pod.setSpec(null);
      pod.getMetadata().setManagedFields(List.of());
      return super.put(key, pod);
    }
  }

  @Override
  public void onAdd(Pod pod) {
    seen(pod);
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    seen(pod);
  }

  @Override
  public void onDelete(Pod pod, boolean unknown) {
    lock.lock();
    try {
      running.remove(pod.getMetadata().getUid());
      present.remove(pod.getMetadata().getUid());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void seen(Pod pod) {
    lock.lock();
    try {
      present.add(pod.getMetadata().getUid());
      if ("Running".equals(pod.getStatus().getPhase())) {
        running.add(pod.getMetadata().getUid());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until so many run.
  void awaitRunning(int count, Duration bound) throws InterruptedException, TimeoutException {
    await(running, count, "run", bound);
  }

  /// Waits until none is there.
  void awaitGone(Duration bound) throws InterruptedException, TimeoutException {
    await(present, 0, "are left", bound);
  }

  private void await(Set<String> pods, int count, String what, Duration bound)
      throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + bound.toNanos();
    lock.lock();
    try {
      while (pods.size() != count) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          throw new TimeoutException(
              "%,d pods %s after %d s, not %,d"
                  .formatted(pods.size(), what, bound.toSeconds(), count));
        }
        boolean unused = changed.await(left, TimeUnit.NANOSECONDS);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    informer.close();
    client.close();
  }
}

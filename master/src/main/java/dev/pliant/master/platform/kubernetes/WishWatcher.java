package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.master.nodes.Rest;
import dev.pliant.master.nodes.Wish;
import dev.pliant.master.platform.Backoff;
import dev.pliant.master.platform.WishSource;
import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches what users wish of the job: its ElasticJob, manual ScalePlans and JobResources. Each is
/// handed to the machine and answered in its status; what fails is done again.
final class WishWatcher implements WishSource {
  private static final Logger log = LoggerFactory.getLogger(WishWatcher.class);

  private static final Duration CLOSE_BOUND = Duration.ofSeconds(1);

  private final JobApi api;
  private final WishReader reader;
  private final Consumer<ElasticJobResource> jobChanged;
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /// The newest form of each object that is to be looked at, by its uid.
  private final Map<String, HasMetadata> waiting = new LinkedHashMap<>();

  private @Nullable Thread thread;
  private volatile boolean closed;

  // The thread's own.
  private @Nullable JobPlan defined;

  /// @param jobChanged hears of the job whenever it has changed and can be read
  WishWatcher(JobApi api, Consumer<ElasticJobResource> jobChanged) {
    this.api = api;
    this.reader = new WishReader(api.names());
    this.jobChanged = jobChanged;
  }

  @Override
  public void watch(Taker taker) {
    thread = Thread.ofPlatform().name("wishes").daemon().start(() -> run(taker));
    informers.add(api.watchJob(new Handler<>()));
    informers.add(api.watchScalePlans(new Handler<>()));
    informers.add(api.watchJobResources(new Handler<>()));
  }

  private final class Handler<T extends HasMetadata> implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      waits(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      if (!Objects.equals(
          before.getMetadata().getGeneration(), object.getMetadata().getGeneration())) {
        waits(object);
      }
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {}
  }

  private void waits(HasMetadata object) {
    lock.lock();
    try {
      waiting.put(object.getMetadata().getUid(), object);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run(Taker taker) {
    int failures = 0;
    try {
      while (!closed) {
        List<HasMetadata> taken = await();
        boolean all = true;
        for (HasMetadata object : taken) {
          all &= handled(taker, object);
        }
        failures = all ? 0 : failures + 1;
        if (!all) {
          TimeUnit.MILLISECONDS.sleep(Backoff.API.after(failures).toMillis());
        }
      }
    } catch (InterruptedException e) {
      log.debug("wishes are left to the next master");
    }
  }

  /// Everything that waits, the oldest first: of wishes that contradict each other the newest
  /// counts.
  private List<HasMetadata> await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty()) {
        changed.await();
      }
      List<HasMetadata> taken = new ArrayList<>(waiting.values());
      waiting.clear();
      taken.sort(
          Comparator.comparing((HasMetadata o) -> o.getMetadata().getCreationTimestamp())
              .thenComparing(o -> o.getMetadata().getName()));
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private boolean handled(Taker taker, HasMetadata object) {
    try {
      handle(taker, object);
      return true;
    } catch (KubernetesClientException e) {
      waitsFor(object, JobApi.describe(e));
    } catch (IOException | PliantException e) {
      waitsFor(object, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      log.error("{} {} met trouble", object.getKind(), object.getMetadata().getName(), e);
    }
    again(object);
    return false;
  }

  private void waitsFor(HasMetadata object, String why) {
    if (!closed) {
      log.warn("{} {} waits: {}", object.getKind(), object.getMetadata().getName(), why);
    }
  }

  /// Unless a newer form of it waits already.
  private void again(HasMetadata object) {
    lock.lock();
    try {
      waiting.putIfAbsent(object.getMetadata().getUid(), object);
    } finally {
      lock.unlock();
    }
  }

  private void handle(Taker taker, HasMetadata object) throws IOException {
    switch (object) {
      case ElasticJobResource job -> follow(taker, job);
      case ScalePlan plan -> {
        if (reader.isWish(plan) && !isAnswered(plan, plan.getStatus())) {
          ScalePlanStatus status = take(taker, plan, () -> reader.read(plan));
          api.answer(ScalePlan.class, new ScalePlan(), plan.getMetadata().getName(), status);
        }
      }
      case JobResource resource -> {
        if (reader.isWish(resource) && !isAnswered(resource, resource.getStatus())) {
          ScalePlanStatus status = take(taker, resource, () -> reader.read(resource));
          api.answer(
              JobResource.class, new JobResource(), resource.getMetadata().getName(), status);
        }
      }
      default -> log.warn("nobody wishes anything by a {}", object.getKind());
    }
  }

  @Override
  public Rest rest() throws IOException {
    try {
      long now = System.currentTimeMillis();
      return api.job().map(job -> JobRests.of(job, now)).orElse(Rest.NONE);
    } catch (KubernetesClientException e) {
      throw new IOException(
          "whether job %s is suspended cannot be read: %s"
              .formatted(api.names().job(), JobApi.describe(e)),
          e);
    }
  }

  /// A job that is to rest does so before anything else that was changed has it make nodes; one
  /// that is to go on does so as it was changed.
  private void follow(Taker taker, ElasticJobResource job) throws IOException {
    boolean rests = JobRests.isSuspended(job);
    if (rests) {
      taker.rest(new Rest(true, 0));
    }
    define(taker, job);
    if (!rests) {
      taker.rest(Rest.NONE);
    }
  }

  private void define(Taker taker, ElasticJobResource job) throws IOException {
    JobPlan plan;
    try {
      plan = JobPlans.of(JobFile.of(job));
    } catch (PliantException e) {
      log.warn("the job was changed to what cannot be carried out: {}", e.getMessage());
      return; // The operator says so, too; the job goes on as it was.
    }
    jobChanged.accept(job);
    if (!plan.equals(defined)) {
      taker.define(plan);
      defined = plan;
    }
  }

  private static boolean isAnswered(HasMetadata object, @Nullable ScalePlanStatus status) {
    return status != null
        && status.observedGeneration() != null
        && status.observedGeneration() >= object.getMetadata().getGeneration()
        && ("Succeeded".equals(status.phase()) || "Failed".equals(status.phase()));
  }

  private interface Reading {
    Wish read();
  }

  private static ScalePlanStatus take(Taker taker, HasMetadata object, Reading reading)
      throws IOException {
    Wish wish;
    try {
      wish = reading.read();
    } catch (PliantException e) {
      return answer(object, false, String.valueOf(e.getMessage()));
    }
    Wish.Taken taken = taker.take(wish);
    log.info("{}: {}", wish.who(), taken.message());
    return answer(object, taken.done(), taken.message());
  }

  private static ScalePlanStatus answer(HasMetadata object, boolean done, String reason) {
    return new ScalePlanStatus(
        done ? "Succeeded" : "Failed",
        reason,
        object.getMetadata().getGeneration(),
        object.getMetadata().getCreationTimestamp(),
        Instant.now().toString(),
        null);
  }

  @Override
  public void close() {
    closed = true;
    informers.forEach(SharedIndexInformer::close);
    Thread running = thread;
    if (running != null) {
      running.interrupt();
      try {
        running.join(CLOSE_BOUND);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

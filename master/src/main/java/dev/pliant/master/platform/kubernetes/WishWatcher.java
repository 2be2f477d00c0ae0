package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.master.platform.WishSource;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches what users wish of the job: its ElasticJob, users' ScalePlans and JobResources. Each is
/// handed to the machine and answered in its status; what fails is done again, while it is there
/// ([WishQueue]).
final class WishWatcher implements WishSource {
  private static final Logger log = LoggerFactory.getLogger(WishWatcher.class);

  /// What a machine that takes nothing now says.
  private static final Set<ErrorCode.Category> PASSING =
      EnumSet.of(ErrorCode.Category.UNAVAILABLE, ErrorCode.Category.EXHAUSTED);

  // The phases of an answer.
  private static final String DONE = "Succeeded";
  private static final String REFUSED = "Failed";

  private static final Duration CLOSE_BOUND = Duration.ofSeconds(1);

  private final JobApi api;
  private final WishReader reader;
  private final JobListener listener;
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /// Guarded by the lock.
  private final WishQueue queue;

  private @Nullable Thread thread;
  private volatile boolean closed;

  // The thread's own.
  private @Nullable JobPlan defined;

  /// Hears of the job itself.
  interface JobListener {
    /// It has changed, and can be read.
    default void changed(ElasticJobResource job) {}

    /// What is desired follows it as it is now.
    void followed(ElasticJobResource job);
  }

  /// @param job as it was read last; an older form of it counts no more
  WishWatcher(JobApi api, ElasticJobResource job, JobListener listener) {
    this.api = api;
    this.queue = new WishQueue(job, System.nanoTime());
    this.reader = new WishReader(api.names());
    this.listener = listener;
  }

  @Override
  public void watch(Taker taker) {
    if (thread == null) {
      thread = Thread.ofPlatform().name("wishes").daemon().start(() -> run(taker));
    }
    // What was begun before something failed is begun anew.
    informers.forEach(SharedIndexInformer::close);
    informers.clear();
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
    public void onDelete(T object, boolean finalStateUnknown) {
      lock.lock();
      try {
        queue.forget(object); // Where a list only lacked it, it comes again.
      } finally {
        lock.unlock();
      }
    }
  }

  private void waits(HasMetadata object) {
    lock.lock();
    try {
      if (queue.offer(object, System.nanoTime())) {
        changed.signal();
      } else {
        log.debug("{} is older than it was", object.getMetadata().getName());
      }
    } finally {
      lock.unlock();
    }
  }

  private void run(Taker taker) {
    try {
      while (!closed) {
        handleAll(taker, await());
      }
    } catch (InterruptedException e) {
      log.debug("wishes are left to the next master");
    }
  }

  /// All that is due.
  private List<HasMetadata> await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        long now = System.nanoTime();
        List<HasMetadata> due = queue.take(now);
        if (!due.isEmpty()) {
          return due;
        }
        var unused = changed.awaitNanos(queue.waitNanos(now));
      }
    } finally {
      lock.unlock();
    }
  }

  private void handleAll(Taker taker, List<HasMetadata> taken) {
    for (int i = 0; i < taken.size(); i++) {
      HasMetadata object = taken.get(i);
      Outcome outcome = handled(taker, object);
      lock.lock();
      try {
        switch (outcome) {
          case DONE -> queue.done(object);
          case FAILED -> queue.again(object, System.nanoTime());
          case NOTHING_IS_TAKEN -> {
            queue.hold(taken.subList(i, taken.size()), System.nanoTime());
            return;
          }
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private enum Outcome {
    DONE,
    FAILED,
    /// The machine is busy, or its disk is full: another wish would fare no better.
    NOTHING_IS_TAKEN
  }

  private Outcome handled(Taker taker, HasMetadata object) {
    try {
      handle(taker, object);
      return Outcome.DONE;
    } catch (KubernetesClientException e) {
      waitsFor(object, JobApi.describe(e));
      return Outcome.FAILED;
    } catch (IOException e) {
      waitsFor(object, String.valueOf(e.getMessage()));
      return Outcome.NOTHING_IS_TAKEN;
    } catch (PliantException e) {
      waitsFor(object, String.valueOf(e.getMessage()));
      return PASSING.contains(e.code().category()) ? Outcome.NOTHING_IS_TAKEN : Outcome.FAILED;
    } catch (RuntimeException e) {
      log.error("{} {} met trouble", object.getKind(), object.getMetadata().getName(), e);
      return Outcome.FAILED;
    }
  }

  private void waitsFor(HasMetadata object, String why) {
    if (!closed) {
      log.warn("{} {} waits: {}", object.getKind(), object.getMetadata().getName(), why);
    }
  }

  private void handle(Taker taker, HasMetadata object) throws IOException {
    switch (object) {
      case ElasticJobResource job -> follow(taker, job);
      case ScalePlan plan -> {
        if (reader.isWish(plan)) {
          Optional<ScalePlanStatus> status = take(taker, plan, () -> reader.read(plan));
          status.ifPresent(said -> answer(ScalePlan.class, new ScalePlan(), plan, said));
        }
      }
      case JobResource resource -> {
        if (reader.isWish(resource)) {
          Optional<ScalePlanStatus> status = take(taker, resource, () -> reader.read(resource));
          status.ifPresent(said -> answer(JobResource.class, new JobResource(), resource, said));
        }
      }
      default -> log.warn("nobody wishes anything by a {}", object.getKind());
    }
  }

  /// Where it is gone, nobody is left who waits for an answer.
  private <T extends CustomResource<?, ScalePlanStatus>> void answer(
      Class<T> type, T empty, T object, ScalePlanStatus status) {
    try {
      api.answer(type, empty, object.getMetadata().getName(), status);
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
      log.info("{} {} is gone", object.getKind(), object.getMetadata().getName());
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
    boolean makesSense = define(taker, job);
    if (!rests) {
      taker.rest(Rest.NONE);
    }
    if (makesSense) {
      listener.followed(job);
    }
  }

  /// @return whether the job makes sense
  private boolean define(Taker taker, ElasticJobResource job) throws IOException {
    JobPlan plan;
    try {
      plan = JobPlans.of(job);
    } catch (PliantException e) {
      log.warn("the job was changed to what cannot be carried out: {}", e.getMessage());
      return false; // The operator says so, too; the job goes on as it was.
    }
    listener.changed(job);
    if (!plan.equals(defined)) {
      taker.define(plan);
      defined = plan;
    }
    return true;
  }

  /// What was said of this generation: `Succeeded` or `Failed`, or nothing.
  private static String answer(CustomResource<?, ScalePlanStatus> object) {
    ScalePlanStatus status = object.getStatus();
    boolean said =
        status != null
            && status.observedGeneration() != null
            && status.observedGeneration() >= object.getMetadata().getGeneration()
            && (DONE.equals(status.phase()) || REFUSED.equals(status.phase()));
    return said ? String.valueOf(status.phase()) : "";
  }

  private interface Reading {
    Wish read();
  }

  /// What is to be answered; nothing where an answer stands. That a wish was done is noted, for a
  /// journal that knew of it may be lost.
  private static Optional<ScalePlanStatus> take(
      Taker taker, CustomResource<?, ScalePlanStatus> object, Reading reading) throws IOException {
    String before = answer(object);
    if (before.equals(REFUSED)) {
      return Optional.empty();
    }
    Wish wish;
    try {
      wish = reading.read();
    } catch (PliantException e) {
      return before.isEmpty()
          ? Optional.of(answer(object, false, String.valueOf(e.getMessage())))
          : Optional.empty();
    }
    if (before.equals(DONE)) {
      taker.recall(wish);
      return Optional.empty();
    }
    Wish.Taken taken = taker.take(wish);
    log.info("{}: {}", wish.who(), taken.message());
    return Optional.of(answer(object, taken.done(), taken.message()));
  }

  private static ScalePlanStatus answer(HasMetadata object, boolean done, String reason) {
    return new ScalePlanStatus(
        done ? DONE : REFUSED,
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

package dev.pliant.operator.cluster;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.operator.decision.Notice;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes Events beside the work: nobody waits for them, and one that cannot be written is only
/// logged.
final class EventRecorder implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
  private static final int WRITERS = 2;
  private static final int WAITING = 10_000;
  private static final int MAX_MESSAGE = 1_000;
  private static final long LAST_WORDS_SECONDS = 5;

  private final KubernetesClient client;
  private final InstantSource clock;
  private final AtomicLong number;
  private final ThreadPoolExecutor writers;

  EventRecorder(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
    this.number = new AtomicLong(clock.millis() << 16);
    this.writers =
        new ThreadPoolExecutor(
            WRITERS,
            WRITERS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            Thread.ofVirtual().name("event-", 0).factory());
  }

  void tell(ElasticJobResource job, Notice notice) {
    Event event = event(job, notice);
    try {
      writers.execute(() -> write(event));
    } catch (RejectedExecutionException e) {
      log.debug("no room for event {}: {}", notice.reason(), notice.message());
    }
  }

  private void write(Event event) {
    try {
      client.v1().events().inNamespace(event.getMetadata().getNamespace()).resource(event).create();
    } catch (KubernetesClientException e) {
      log.info("event {} was not written: {}", event.getReason(), e.getMessage());
    }
  }

  private Event event(ElasticJobResource job, Notice notice) {
    String time = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    String name = job.getMetadata().getName();
    return new EventBuilder()
        .withNewMetadata()
        .withName("%s.%x".formatted(name, number.incrementAndGet()))
        .withNamespace(job.getMetadata().getNamespace())
        .endMetadata()
        .withNewInvolvedObject()
        .withApiVersion(job.getApiVersion())
        .withKind(job.getKind())
        .withName(name)
        .withNamespace(job.getMetadata().getNamespace())
        .withUid(job.getMetadata().getUid())
        .withResourceVersion(job.getMetadata().getResourceVersion())
        .endInvolvedObject()
        .withType(notice.kind().spelling())
        .withReason(notice.reason())
        .withMessage(shortened(notice.message()))
        .withNewSource()
        .withComponent(JobActions.FIELD_MANAGER)
        .endSource()
        .withReportingComponent(JobActions.FIELD_MANAGER)
        .withFirstTimestamp(time)
        .withLastTimestamp(time)
        .withCount(1)
        .build();
  }

  private static String shortened(String message) {
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }

  @Override
  public void close() {
    writers.shutdown(); // The status calls them told.
    try {
      if (!writers.awaitTermination(LAST_WORDS_SECONDS, TimeUnit.SECONDS)) {
        log.info("{} events were not written any more", writers.shutdownNow().size());
      }
    } catch (InterruptedException e) {
      writers.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}

package dev.pliant.operator.cluster;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.operator.decision.Obstacle;
import dev.pliant.operator.decision.Refusal;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class JobMemoryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final JobMemory memory = new JobMemory();

  @Test
  void aSecondRefusalOfTheSamePodIsOneMoreAndIsTriedLater() {
    assertThat(memory.refused("w-0", "exceeded quota", NOW)).as("new").isTrue();
    long once = memory.refusedEver();
    assertThat(memory.refused("w-0", "exceeded quota", NOW.plusSeconds(1))).isFalse();

    assertThat(memory.refusedEver()).isEqualTo(once + 1);
    assertThat(memory.refusals(NOW.plusSeconds(1)))
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.tryAgainAt()).isEqualTo(NOW.plusSeconds(3)));
  }

  @Test
  void forgetsTheRefusalOfAPodThatWasTaken() {
    assertThat(memory.refused("w-0", "exceeded quota", NOW)).isTrue();
    memory.taken("w-0");

    assertThat(memory.refusals(NOW)).isEmpty();
  }

  @Test
  void whatKeptOthersOfItsRoleOutIsOverToo() {
    assertThat(memory.refused("j-worker-0", "exceeded quota", NOW)).isTrue();
    assertThat(memory.refused("j-worker-1", "exceeded quota", NOW)).isTrue();
    assertThat(memory.refused("j-ps-0", "exceeded quota", NOW)).isTrue();
    assertThat(memory.refused("role", "not allowed", NOW)).isTrue();
    memory.taken("j-worker-1");

    assertThat(memory.refusals(NOW)).extracting(Refusal::pod).containsExactly("j-ps-0", "role");
  }

  @Test
  void ofARoleThatIsRefusedOneIsTriedInAMinuteHoweverManyItHas() {
    for (int i = 0; i < 10; i++) {
      assertThat(memory.refused("j-worker-" + i, "exceeded quota", NOW)).isTrue();
    }
    Instant now = NOW;
    Instant before = NOW;
    for (int tries = 0; tries < 40; tries++) {
      before = now;
      now = Collections.max(memory.refusals(now), comparing(Refusal::tryAgainAt)).tryAgainAt();
      Refusal first = Collections.min(memory.refusals(now), comparing(Refusal::tryAgainAt));
      assertThat(memory.refused(first.pod(), "exceeded quota", now)).as("known").isFalse();
    }

    assertThat(Duration.between(before, now)).isEqualTo(Duration.ofSeconds(64));
    assertThat(memory.refusals(now)).hasSize(10);
    assertThat(memory.refusals(now.plusSeconds(64 + 121))).as("nobody tries them").isEmpty();
  }

  @Test
  void oneWhoseNameIsTakenIsTriedEverLaterByItself() {
    Obstacle obstacle = new Obstacle(Obstacle.POD, "j-worker-0", "is another's", false);
    for (int i = 0; i < 8; i++) {
      memory.refused("j-worker-0", obstacle, NOW);
    }
    assertThat(memory.refused("j-worker-1", "exceeded quota", NOW)).isTrue();

    assertThat(memory.refusals(NOW))
        .extracting(Refusal::tryAgainAt)
        .containsExactly(NOW.plusSeconds(64), NOW.plusSeconds(1));
  }

  private static ElasticJobResource job(String uid, String version, @Nullable JobStatus status) {
    ElasticJobResource job = new ElasticJobResource();
    job.setMetadata(new ObjectMetaBuilder().withUid(uid).withResourceVersion(version).build());
    job.setStatus(status);
    return job;
  }

  @Test
  void whatWasSaidOfAJobIsKnownBeforeACacheShowsIt() {
    JobStatus said =
        Serialization.unmarshal("---\n{phase: Running, decisionsTold: 3}", JobStatus.class);
    memory.statusWritten(said, job("u", "10", null).getMetadata(), NOW);

    assertThat(memory.status(job("u", "9", null))).isSameAs(said);
    assertThat(memory.status(job("other", "9", null))).as("another of its name").isNull();
  }

  @Test
  void aCacheThatShowsItOrMoreIsBelieved() {
    JobStatus said = Serialization.unmarshal("---\n{phase: Running}", JobStatus.class);
    JobStatus newer = Serialization.unmarshal("---\n{phase: Failed}", JobStatus.class);
    memory.statusWritten(said, job("u", "10", null).getMetadata(), NOW);

    assertThat(memory.status(job("u", "11", newer))).isSameAs(newer);
    assertThat(memory.status(job("u", "9", null))).as("it is forgotten by then").isNull();
  }
}

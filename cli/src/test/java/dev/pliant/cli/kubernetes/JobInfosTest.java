package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.Place;
import dev.pliant.cli.jobs.Place.Workers;
import dev.pliant.cli.kubernetes.JobInfos.Heard;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.ScalePlan;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class JobInfosTest {
  private static final Instant MADE = Instant.parse("2026-01-01T00:00:00Z");

  private static ElasticJobResource job(String metadata, String spec, String status) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, namespace: team, creationTimestamp: "2026-01-01T00:00:00Z" %s}
        spec:
          %s
          replicaSpecs:
            worker:
              replicas: 3
              minReplicas: 2
              maxReplicas: 6
              template: {spec: {containers: [{name: main, image: i, command: [x]}]}}
        status: %s
        """
            .formatted(metadata, spec, status),
        ElasticJobResource.class);
  }

  static Stream<Arguments> states() {
    String none = "";
    return Stream.of(
        arguments(none, none, "{}", State.PENDING),
        arguments(none, none, "{phase: Pending}", State.PENDING),
        arguments(none, none, "{phase: Running}", State.RUNNING),
        arguments(none, none, "{phase: Stopping}", State.STOPPING),
        arguments(none, none, "{phase: Suspended}", State.PENDING),
        arguments(none, none, "{phase: Succeeded}", State.SUCCEEDED),
        arguments(none, none, "{phase: Failed}", State.FAILED),
        arguments(none, none, "{phase: Stopped}", State.STOPPED),
        arguments(none, "suspend: true", "{phase: Running}", State.STOPPING),
        arguments(none, "suspend: true", "{phase: Suspended}", State.SUSPENDED),
        arguments(none, "suspend: true", "{phase: Succeeded}", State.SUCCEEDED),
        arguments(
            ", deletionTimestamp: '2026-01-01T00:01:00Z'",
            none,
            "{phase: Running}",
            State.STOPPING));
  }

  @ParameterizedTest
  @MethodSource("states")
  void aJobIsWhereItsStatusAndItsWishSay(String metadata, String spec, String status, State want) {
    assertThat(JobInfos.state(job(metadata, spec, status))).isEqualTo(want);
  }

  @Test
  void aStatusCountsBeforeWhatTheJobAsksFor() {
    String status =
        "{phase: Running, ready: 1/4, readyReplicas: 1, minReplicas: 1, maxReplicas: 8}";
    assertThat(workers(job("", "", status))).isEqualTo(new Workers(1, 4, 1, 8));
    assertThat(workers(job("", "", "{}"))).isEqualTo(new Workers(0, 3, 2, 6));
  }

  private static Workers workers(ElasticJobResource job) {
    JobInfo info = JobInfos.of(job, List.of(), Heard.NOTHING, MADE);
    return ((Place.Cluster) info.place()).workers();
  }

  @Test
  void saysThatNoOperatorHasTakenAJobUp() {
    assertThat(reason(job("", "", "{}"), MADE.plusSeconds(3)))
        .contains("waits for Pliant's operator");
    assertThat(reason(job("", "", "{}"), MADE.plusSeconds(60)))
        .contains("no operator has taken it up for 1 min")
        .contains("kubectl get pods");
    assertThat(reason(job("", "", "{phase: Pending, message: soon}"), MADE.plusSeconds(60)))
        .isEqualTo("soon");
  }

  private static String reason(ElasticJobResource job, Instant now) {
    JobInfo info = JobInfos.of(job, List.of(), Heard.NOTHING, now);
    return ((Place.Cluster) info.place()).reason();
  }

  @Test
  void saysWhatTheBoundsLeaveOfAWish() {
    Optional<RoleBounds> bounds = JobInfos.bounds(job("", "", "{}"));
    assertThat(Wishes.answer(4, bounds, State.RUNNING)).isEqualTo("wished: 4 workers, of 2 to 6.");
    assertThat(Wishes.answer(9, bounds, State.RUNNING))
        .isEqualTo("9 workers were asked for, and 6 are the most this job may have: it gets 6.");
    assertThat(Wishes.answer(1, bounds, State.RUNNING))
        .isEqualTo("1 workers were asked for, and 2 are the fewest this job can have: it gets 2.");
    assertThat(Wishes.answer(4, Optional.empty(), State.SUSPENDED))
        .isEqualTo("wished: 4 workers. It is stopped; this counts when it goes on.");
  }

  @Test
  void wishesNoMoreOfAClusterThanTheJobMayHave() {
    Optional<RoleBounds> bounds = JobInfos.bounds(job("", "", "{}"));
    assertThat(Wishes.given(9, bounds)).isEqualTo(6);
    assertThat(Wishes.given(1, bounds)).isEqualTo(2);
    assertThat(Wishes.given(100, Optional.of(new RoleBounds(2, 1, 60, false)))).isEqualTo(100);
    assertThat(Wishes.given(9, Optional.empty())).isEqualTo(9);
  }

  @Test
  void aMasterDoesNotHearWhatTheJobHasSaidBefore() {
    String two = "{phase: Running, ready: 2/2}";
    assertThat(JobInfos.hears(job("", "", two), Optional.empty(), 3)).isFalse();
    assertThat(JobInfos.hears(job("", "", two), Optional.empty(), 4)).isTrue();
    assertThat(JobInfos.hears(job("", "", "{phase: Running, ready: 1/3}"), Optional.empty(), 3))
        .isTrue();
    assertThat(JobInfos.hears(job("", "", "{phase: Pending}"), Optional.empty(), 3)).isTrue();
    assertThat(JobInfos.hears(job("", "", two), Optional.of(3), 3)).isTrue();
    assertThat(JobInfos.hears(job("", "", "{phase: Suspended}"), Optional.of(5), 3)).isFalse();
  }

  @Test
  void aPlanOfAUsersIsKnownByItsNameAndGoesWithTheJob() {
    ScalePlan plan = ManualPlans.workers(job(", uid: u-1", "", "{}"), 3);
    assertThat(Serialization.asYaml(plan))
        .contains("generateName: \"digits-scale-\"")
        .contains("scale-type: \"manual\"")
        .contains("ownerJob: \"digits\"")
        .contains("replicas: 3")
        .contains("uid: \"u-1\"")
        .doesNotContain("controller", "blockOwnerDeletion");
  }
}

package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JobNamesTest {
  private static final JobNames NAMES = new JobNames(new JobId("team-a", "digits"));

  @Test
  void namesEveryObjectAfterItsJob() {
    assertThat(NAMES.pod(new NodeId("ps", 1))).isEqualTo("digits-ps-1");
    assertThat(NAMES.masterPod(3)).isEqualTo("digits-master-3");
    assertThat(NAMES.masterNumber("digits-master-3")).hasValue(3);
    assertThat(NAMES.masterNumber("digits-master-")).isEmpty();
    assertThat(NAMES.masterNumber("digits-worker-3")).isEmpty();
    assertThat(NAMES.masterNumber("digits-master-3000000000")).isEmpty();
    assertThat(NAMES.masterAddress()).isEqualTo("digits-master.team-a.svc:7077");
    assertThat(NAMES.host(new NodeId("ps", 0))).isEqualTo("digits-ps-0.digits.team-a.svc");
    assertThat(NAMES.secret()).isEqualTo("digits-pliant");
    assertThat(NAMES.masterAccount()).isEqualTo("digits-pliant-master");
    assertThat(NAMES.networkPolicy()).isEqualTo("digits-master");
    assertThat(NAMES.plan()).isEqualTo("digits-auto");
    assertThat(NAMES.workerSelector()).isEqualTo("pliant.dev/job=digits,pliant.dev/role=worker");
  }

  @Test
  void tellsTheNodeFromItsPod() {
    assertThat(NAMES.node("digits-worker-12")).contains(new NodeId("worker", 12));
    for (String other :
        List.of(
            "digits",
            "digits-",
            "digits-worker",
            "digits-master-0",
            "digits-x-worker-0",
            "other-worker-0")) {
      assertThat(NAMES.node(other)).as(other).isEmpty();
    }
  }

  @Test
  void aJobWhoseNameBeginsLikeAnothersHasOtherPods() {
    JobNames longer = new JobNames(new JobId("team-a", "digits-worker"));

    assertThat(NAMES.node(longer.pod(new NodeId("worker", 0)))).isEmpty();
    assertThat(longer.node(NAMES.pod(new NodeId("worker", 0)))).isEmpty();
  }

  @Test
  void labelsANodesPodInOurSpellingAndInDlrovers() {
    assertThat(NAMES.nodeLabels(new NodeId("worker", 5), 2))
        .containsAllEntriesOf(
            Map.of(
                "app.kubernetes.io/name", "pliant",
                "app.kubernetes.io/managed-by", "pliant",
                "pliant.dev/job", "digits",
                "pliant.dev/role", "worker",
                "pliant.dev/node", "worker-5",
                "elasticjob-name", "digits",
                "elasticjob.dlrover/name", "digits",
                "elasticjob.dlrover/replica-type", "worker",
                "elasticjob.dlrover/replica-index", "5",
                "elasticjob.dlrover/rank-index", "2"));
    assertThat(NAMES.masterLabels(1))
        .containsEntry("pliant.dev/role", "master")
        .doesNotContainKey("pliant.dev/node")
        .containsAllEntriesOf(NAMES.masterSelector());
  }

  @Test
  void everyNameOfTheLongestJobFitsIntoAHostsName() {
    JobNames longest = new JobNames(new JobId("default", "a".repeat(JobNames.MAX_JOB_NAME)));

    Stream<String> names =
        Stream.of(
            longest.pod(new NodeId("evaluator", 9_999_999)),
            longest.masterPod(999_999_999),
            longest.masterAccount(),
            longest.secret(),
            longest.plan());

    assertThat(names).allSatisfy(name -> assertThat(name.length()).isLessThanOrEqualTo(63));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Digits",
        "a_b",
        "1a",
        "a-",
        "-a",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void refusesAJobThatNoClusterCouldName(String name) {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> new JobNames(new JobId("default", name)))
        .withMessageContaining(name)
        .withMessageContaining("at most 45 lower-case letters");
  }
}

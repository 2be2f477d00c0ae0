package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WishReaderTest {
  private static final WishReader READER =
      new WishReader(new JobNames(new JobId("default", "elastic-deepctr-job")));

  private static ScalePlan plan(String type, String spec) {
    return Serialization.unmarshal(
        """
        ---
        {apiVersion: elastic.iml.github.io/v1alpha1, kind: ScalePlan,
         metadata: {name: p, uid: u-1, generation: 3, labels: {scale-type: %s}}, spec: {%s}}
        """
            .formatted(type, spec),
        ScalePlan.class);
  }

  private static JobResource resource(String spec) {
    return Serialization.unmarshal(
        """
        ---
        {apiVersion: elastic.easydl.org/v1alpha1, kind: JobResource,
         metadata: {name: r, uid: u-2, generation: 1}, spec: {%s}}
        """
            .formatted(spec),
        JobResource.class);
  }

  @Test
  void aManualPlanSaysHowManyOfWhichSizeAndNamesPods() {
    ScalePlan plan =
        plan(
            "manual",
            """
            ownerJob: elastic-deepctr-job,
            replicaResourceSpecs: {parameter_server: {replicas: 1, resource: {cpu: '0.5', memory: 256Mi}}, worker: {replicas: 2}},
            createPods: [{name: elastic-deepctr-job-worker-9, type: worker, resource: {memory: 100}}],
            removePods: [{name: elastic-deepctr-job-worker-1}],
            migratePods: [{name: elastic-deepctr-job-ps-0, resource: {cpu: 8}}]
            """);

    assertThat(READER.isWish(plan)).isTrue();
    assertThat(READER.read(plan))
        .isEqualTo(
            new Wish(
                "ScalePlan/u-1",
                3,
                "ScalePlan p",
                List.of(
                    new Wish.RoleWish("ps", 1, new ResourceChange(0.5, 256L, null, null)),
                    new Wish.RoleWish("worker", 2, ResourceChange.NONE)),
                List.of(new Wish.NewNode("worker", new ResourceChange(null, 100L, null, null))),
                List.of(new NodeId("worker", 1)),
                List.of(
                    new Wish.Replacement(
                        new NodeId("ps", 0), new ResourceChange(8.0, null, null, null)))));
  }

  @Test
  void aPlanThatNobodyLabelledIsAUsers() {
    ScalePlan plan = plan("manual", "ownerJob: elastic-deepctr-job");
    plan.getMetadata().setLabels(null);
    assertThat(READER.isWish(plan)).isTrue();
    plan.getMetadata().setLabels(Map.of("team", "a"));
    assertThat(READER.isWish(plan)).isTrue();
  }

  @Test
  void othersPlansAreNoWishes() {
    assertThat(READER.isWish(plan("auto", "ownerJob: elastic-deepctr-job"))).isFalse();
    assertThat(READER.isWish(plan("manual", "ownerJob: another"))).isFalse();
    ScalePlan namesake = plan("manual", "ownerJob: elastic-deepctr-job");
    namesake.getMetadata().setName("elastic-deepctr-job-auto");
    assertThat(READER.isWish(namesake)).as("in the way of the master's own").isFalse();
    assertThat(READER.isWish(resource("selector: {name: another}"))).isFalse();
    assertThat(
            READER.isWish(
                resource(
                    "selector: {name: elastic-deepctr-job}, plan: {ownerJob: elastic-deepctr-job}")))
        .isFalse();
  }

  @Test
  void aJobResourceSaysTheSameByRoleAndReplacesPods() {
    JobResource resource =
        resource(
            """
            selector: {name: 'elastic-deepctr-job  // Job Name'},
            worker: {replicas: 8, resource: {cpu: 4, memory: 4096, disk: 8192, gpu: 1}},
            resource_updation: [{name: elastic-deepctr-job-ps-1, resource: {cpu: 16, memory: 8192}}]
            """);

    assertThat(READER.isWish(resource)).isTrue();
    Wish wish = READER.read(resource);
    assertThat(wish.unknownRole()).isEqualTo(Wish.UnknownRole.LEFT_OUT);
    assertThat(wish.roles())
        .containsExactly(
            new Wish.RoleWish("worker", 8, new ResourceChange(4.0, 4_096L, 1, 8_192L)));
    assertThat(wish.replace())
        .containsExactly(
            new Wish.Replacement(
                new NodeId("ps", 1), new ResourceChange(16.0, 8_192L, null, null)));
  }

  @Test
  void whatMeansNothingIsSaidInASentence() {
    assertThatThrownBy(() ->
            READER.read(
                plan(
                    "manual",
                    "ownerJob: elastic-deepctr-job, removePods: [{name: other-worker-0}]")))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("'other-worker-0' is no pod of a node of job");
    assertThatThrownBy(() ->
            READER.read(
                plan(
                    "manual",
                    "ownerJob: elastic-deepctr-job, replicaResourceSpecs: {worker: {resource: {tpu: 1}}}")))
        .isInstanceOf(PliantException.class)
        .hasMessageStartingWith("the resource 'tpu' cannot be changed for a node;");
  }
}

package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.PodPlan;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WaveManifestsTest {
  private final WaveManifests manifests = new WaveManifests("wave", 20);

  @Test
  void aJobOfThePeerHasAsManyPodsOnSimulatedNodes() {
    Job job = manifests.job(3, PeerPods.bare());

    PodSpec pod = job.getSpec().getTemplate().getSpec();
    assertThat(job.getMetadata().getName()).isEqualTo("j3");
    assertThat(job.getSpec().getParallelism()).isEqualTo(20);
    assertThat(pod.getNodeSelector()).isEqualTo(Map.of("type", "kwok"));
    assertThat(pod.getTolerations()).hasSize(1);
    assertThat(pod.getContainers()).hasSize(1);
  }

  @Test
  void anElasticJobIsReadAsOne() {
    var job = JobFile.of(manifests.elasticJob(3));

    assertThat(job.id().name()).isEqualTo("j3");
    assertThat(job.spec().worker().replicas()).isEqualTo(20);
  }

  @Test
  void thePlanNamesEachPodOfItsJob() {
    assertThat(manifests.plan(3).getSpec().createPods())
        .extracting(PodPlan::name)
        .hasSize(20)
        .startsWith("j3-worker-0")
        .endsWith("j3-worker-19");
    assertThat(new WaveManifests("wave", 0).plan(3).getSpec().createPods()).isEmpty();
  }
}

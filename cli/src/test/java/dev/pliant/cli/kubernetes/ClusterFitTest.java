package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.model.PliantException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ClusterFitTest {
  private static ElasticJob job(String spec, String container) {
    return JobFile.parse(
        "job.yaml",
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits}
        spec:
          %s
          replicaSpecs:
            master: {template: {spec: {containers: [{name: ours}]}}}
            worker: {replicas: 1, template: {spec: {containers: [{name: main, %s}]}}}
        """
            .formatted(spec, container));
  }

  @Test
  void aClusterNeedsAnImageAndACommand() {
    assertThatThrownBy(() -> ClusterFit.check("job.yaml", job("", "command: [x]")))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("job.yaml: container 'main' of role 'worker' has no 'image'");
    assertThatThrownBy(() -> ClusterFit.check("job.yaml", job("", "image: i")))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("has no 'command'");
    assertThatCode(() -> ClusterFit.check("job.yaml", job("", "image: i, command: [x]")))
        .doesNotThrowAnyException();
  }

  @Test
  void saysWhatIsNotKept() {
    String container = "image: i, command: [x]";
    assertThat(ClusterFit.notes(job("", container)))
        .singleElement()
        .asString()
        .endsWith("the job begins anew.");
    assertThat(ClusterFit.notes(job("checkpoint: {path: /c, every: 10}", container)))
        .hasSize(2)
        .anyMatch(note -> note.contains("from its newest checkpoint"))
        .anyMatch(note -> note.contains("checkpoints lie in the pods"));
    assertThat(
            ClusterFit.notes(
                job("storage: {claim: c}\n  checkpoint: {claim: c, every: 10}", container)))
        .isEmpty();
  }

  @Test
  void theExampleForAClusterFits() {
    Path file = Path.of("..", "examples", "digits", "job-on-cluster.yaml");
    ElasticJob example = JobFile.read(file);

    assertThatCode(() -> ClusterFit.check(file.toString(), example)).doesNotThrowAnyException();
    assertThat(ClusterFit.notes(example)).isEmpty();
  }
}

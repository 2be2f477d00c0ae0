package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.Event;
import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.master.journal.EventCodec;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.protocol.journal.v1.Batch;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobStartTest {
  private static final JobNames NAMES = new JobNames(new JobId("team-a", "digits"));

  @ParameterizedTest(name = "status {0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "                      | 0",
        "status: {}            | 0",
        "status: {masterEpoch: 7} | 7",
      })
  void theOperatorHasHeardOfAnEpoch(String status, long want) {
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            ---
            {apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob,
             metadata: {name: digits, namespace: team-a}, spec: {}%s}
            """
                .formatted(status == null ? "" : ", " + status),
            ElasticJobResource.class);

    assertThat(JobStart.heardEpoch(job)).isEqualTo(want);
  }

  @Test
  void aJournalThatNobodyDefinedAJobInIsEmpty(@TempDir Path folder) throws IOException {
    assertThat(JobStart.isEmpty(NAMES.job(), folder.resolve("none"))).isTrue();

    Path journal = folder.resolve("journal");
    JournalStore begun = JournalStores.open(JournalLocation.createdFolder(journal), NAMES.job());
    begun.claim();
    begun.begin(1);
    assertThat(JobStart.isEmpty(NAMES.job(), journal)).as("begun, and nothing noted").isTrue();
    begun.append(batch(1, new Event.MasterStarted(1)));
    begun.append(batch(2, new Event.Nodes(new NodeEvent.NumbersReserved("worker", 4))));
    assertThat(JobStart.isEmpty(NAMES.job(), journal)).as("not the job itself yet").isTrue();
    begun.append(batch(3, new Event.Nodes(new NodeEvent.JobDefined(plan(), false))));
    assertThat(JobStart.isEmpty(NAMES.job(), journal)).isFalse();
    begun.close();
  }

  private static Batch batch(long sequence, Event event) {
    return Batch.newBuilder()
        .setFirstSequence(sequence)
        .addEvents(EventCodec.encode(event))
        .build();
  }

  private static JobPlan plan() {
    return JobPlans.of(
        Serialization.unmarshal(
            """
            ---
            {apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob,
             metadata: {name: digits, namespace: team-a}, spec: {worker: {template:
              {spec: {containers: [{name: main, image: i, command: [python3]}]}}}}}
            """,
            ElasticJobResource.class));
  }

  @Test
  void eachPodOfTheMasterMayHaveTakenAnEpoch() {
    assertThat(JobStart.mastersBefore(NAMES, Map.of())).isZero();
    assertThat(JobStart.mastersBefore(NAMES, Map.of("PLIANT_POD_NAME", "digits-master-0")))
        .isZero();
    assertThat(JobStart.mastersBefore(NAMES, Map.of("PLIANT_POD_NAME", "digits-master-3")))
        .isEqualTo(3);
    assertThat(JobStart.mastersBefore(NAMES, Map.of("PLIANT_POD_NAME", "somebody"))).isZero();
  }
}

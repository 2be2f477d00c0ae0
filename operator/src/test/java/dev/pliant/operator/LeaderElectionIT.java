package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Two operators of one cluster.
final class LeaderElectionIT {
  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: %s}
      spec:
        worker:
          template:
            spec:
              containers: [{name: main, image: "pliant.local/busybox:1", command: [sleep, "3600"]}]
      """;

  @Test
  void oneWorksAndTheOtherTakesOverWhenItGoes() throws Exception {
    try (ClusterRoom room = ClusterRoom.withoutOperator("lease")) {
      PliantOperator first = room.startOperator(true, "first");
      await().until(() -> "first".equals(holder(room)));
      PliantOperator second = room.startOperator(true, "second");

      room.create(JOB.formatted("early"));
      await().until(() -> room.pods("early").contains("early-master-0"));
      Map<String, String> before = uids(room, "early");
      assertThat(holder(room)).isEqualTo("first");
      assertThat(looks(first)).isPositive();
      assertThat(looks(second)).as("looks of the one that stands by").isZero();

      room.close(first);

      await().until(() -> "second".equals(holder(room)));
      room.create(JOB.formatted("late"));
      await().until(() -> room.pods("late").contains("late-master-0"));
      assertThat(looks(second)).isPositive();
      assertThat(uids(room, "early")).as("pods of the one before").isEqualTo(before);
      assertThat(room.deposed()).as("one that goes by itself ends nothing").isEmpty();
    }
  }

  @Test
  void oneThatLosesItsLeaseEndsItsProcess() {
    try (ClusterRoom room = ClusterRoom.withoutOperator("deposed")) {
      room.startOperator(true, "first");
      await().until(() -> "first".equals(holder(room)));

      takeAway(room);

      await().until(() -> room.deposed().equals(Set.of("first")));
    }
  }

  /// As another operator would that thought the first one gone.
  private static void takeAway(ClusterRoom room) {
    Lease unused =
        room.client
            .leases()
            .inNamespace(room.namespace)
            .withName(PliantOperator.LEASE)
            .edit(lease ->
                new LeaseBuilder(lease)
                    .editSpec()
                    .withHolderIdentity("another")
                    .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                    .endSpec()
                    .build());
  }

  private static String holder(ClusterRoom room) {
    Lease lease =
        room.client.leases().inNamespace(room.namespace).withName(PliantOperator.LEASE).get();
    return lease == null ? "" : String.valueOf(lease.getSpec().getHolderIdentity());
  }

  private static long looks(PliantOperator operator) throws Exception {
    return ClusterRoom.metric(operator, "pliant_operator_looks_total");
  }

  private static Map<String, String> uids(ClusterRoom room, String job) {
    return room.podsOf(job).stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getName(), pod -> pod.getMetadata().getUid()));
  }
}

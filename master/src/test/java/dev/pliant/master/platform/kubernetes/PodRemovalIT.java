package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.master.platform.kubernetes.StandInApiServer.Call;
import dev.pliant.master.platform.kubernetes.StandInApiServer.Reply;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// A pod that cannot be removed is in nobody's way.
class PodRemovalIT {
  private static final JobNames NAMES = new JobNames(new JobId("team-a", "digits"));
  private static final String PLAN =
      """
      {"apiVersion":"elastic.iml.github.io/v1alpha1","kind":"ScalePlan",
       "metadata":{"name":"digits-auto","namespace":"team-a","generation":1},
       "spec":{"ownerJob":"digits","masterEpoch":1},
       "status":{"createdPods":["digits-worker-0","digits-worker-1","digits-worker-9"]}}
      """;

  private final AtomicBoolean stuck = new AtomicBoolean(true);

  private static String pod(int number) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"digits-worker-%d","namespace":"team-a"},
     "spec":{"containers":[{"name":"main"}]},
     "status":{"phase":"Running","containerStatuses":[{"name":"main","state":{"running":{}}}]}}
    """
        .formatted(number);
  }

  private Reply answer(Call call) {
    return switch (call.method()) {
      case "DELETE" ->
          stuck.get() && !call.path().endsWith("-1")
              ? Reply.refused(500, "InternalError")
              : Reply.ok(pod(1));
      case "POST" -> Reply.ok(pod(2));
      default ->
          call.path().endsWith("/pods")
              ? Reply.list("PodList", pod(0) + "," + pod(1) + "," + pod(9))
              : Reply.ok(PLAN);
    };
  }

  private static DesiredNode worker(int number, boolean leaving) {
    return new DesiredNode(
        new NodeId("worker", number), NodeResources.UNBOUNDED, 0, number, leaving);
  }

  @Test
  void othersAreRemovedAndMadeAllTheSame() throws IOException, ScaleLoop.Fenced {
    DesiredNodes desired =
        new DesiredNodes(
            true, List.of(worker(0, true), worker(1, true), worker(2, false)), JobStanding.NONE);
    try (StandInApiServer server = new StandInApiServer(this::answer);
        JobApi api = new JobApi(server.client(), NAMES)) {
      PodScaler scaler =
          new PodScaler(
              api,
              new PlanWriter(api, ScalerKind.PodScaler, new OwnerReference(), 1),
              new NodeBook(),
              (pod, _) ->
                  new PodBuilder().withNewMetadata().withName(pod.name()).endMetadata().build());

      assertThat(scaler.carryOut(desired, Followed.NOTHING))
          .as("whether nothing is left to do")
          .isFalse();
      assertThat(server.calls("DELETE", "/digits-worker-0")).isEqualTo(1);
      assertThat(server.calls("DELETE", "/digits-worker-9")).as("wanted by nobody").isEqualTo(1);
      assertThat(server.calls("DELETE", "/digits-worker-1")).isEqualTo(1);
      assertThat(server.calls("POST", "/pods")).isEqualTo(1);

      stuck.set(false);
      assertThat(scaler.carryOut(desired, Followed.NOTHING)).isTrue();
    }
  }
}

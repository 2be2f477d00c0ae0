package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Set;
import java.util.TreeSet;

/// Writes the master's plan, whole, whenever it has changed. The API server refuses it once a newer
/// master has written one.
final class PlanWriter {
  private static final int INVALID = 422;

  private final JobApi api;
  private final ScalerKind kind;
  private final OwnerReference owner;
  private final long epoch;

  /// Nodes that were told to go: they never run again, whatever is desired later.
  private final Set<NodeId> gone = new TreeSet<>();

  PlanWriter(JobApi api, ScalerKind kind, OwnerReference owner, long epoch) {
    this.api = api;
    this.kind = kind;
    this.owner = owner;
    this.epoch = epoch;
  }

  /// @return what stands in the plan now
  ScalePlanSpec write(DesiredNodes desired, Followed followed) throws ScaleLoop.Fenced {
    desired.nodes().stream().filter(DesiredNode::leaving).map(DesiredNode::id).forEach(gone::add);
    ScalePlanSpec spec = MasterPlan.of(api.names(), desired, gone, epoch, followed);
    try {
      api.apply(kind, spec, owner);
      return spec;
    } catch (KubernetesClientException e) {
      long newest = e.getCode() == INVALID ? api.plan(kind).epoch() : 0;
      if (newest > epoch) {
        throw new ScaleLoop.Fenced(
            "the master of epoch %d speaks for job %s, and this is epoch %d"
                .formatted(newest, api.names().job(), epoch));
      }
      throw e;
    }
  }

  Set<NodeId> gone() {
    return gone;
  }
}

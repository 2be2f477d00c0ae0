package dev.pliant.master.platform.kubernetes;

import dev.pliant.machine.nodes.DesiredNodes;

/// Scales by a plan that it writes and the operator carries out: this master touches no pod.
final class ElasticJobScaler implements ScaleLoop.Pass {
  private final PlanWriter plan;

  ElasticJobScaler(PlanWriter plan) {
    this.plan = plan;
  }

  @Override
  public boolean carryOut(DesiredNodes desired, Followed followed) throws ScaleLoop.Fenced {
    var unused = plan.write(desired, followed);
    return true;
  }
}

package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ScalerKind;
import dev.pliant.master.platform.NodeWatcherContract;
import dev.pliant.master.platform.ScalerContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class PodWatcherOfPodsIT extends NodeWatcherContract {
  @RegisterExtension static final OnACluster HERE = new OnACluster();

  @Override
  protected ScalerContract.World world() {
    return new KubernetesWorld(HERE.cluster(), ScalerKind.PodScaler, false);
  }
}

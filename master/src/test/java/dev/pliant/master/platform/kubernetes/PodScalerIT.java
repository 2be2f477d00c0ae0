package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ScalerKind;
import dev.pliant.master.platform.ScalerContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class PodScalerIT extends ScalerContract {
  @RegisterExtension static final OnACluster HERE = new OnACluster();

  @Override
  protected World world(boolean stubborn) {
    return new KubernetesWorld(HERE.cluster(), ScalerKind.PodScaler, stubborn);
  }
}

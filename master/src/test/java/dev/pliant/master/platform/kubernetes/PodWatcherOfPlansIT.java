package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ScalerKind;
import dev.pliant.master.platform.NodeWatcherContract;
import dev.pliant.master.platform.ScalerContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PodWatcherOfPlansIT extends NodeWatcherContract {
  @SuppressWarnings("NullAway.Init") // before all
  private static Cluster cluster;

  @BeforeAll
  static void findACluster() {
    cluster = Cluster.needed();
  }

  @AfterAll
  static void leaveTheCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Override
  protected ScalerContract.World world() {
    return new KubernetesWorld(cluster, ScalerKind.ElasticJobScaler, false);
  }
}

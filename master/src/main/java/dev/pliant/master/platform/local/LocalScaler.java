package dev.pliant.master.platform.local;

import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.master.platform.Scaler;

/// Starts and ends agents as processes of this machine.
final class LocalScaler implements Scaler {
  private final LocalNodes nodes;

  LocalScaler(LocalNodes nodes) {
    this.nodes = nodes;
  }

  @Override
  public void scale(DesiredNodes desired) {
    nodes.scale(desired);
  }

  @Override
  public void close() {
    nodes.close();
  }
}

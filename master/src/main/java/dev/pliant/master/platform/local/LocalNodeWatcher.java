package dev.pliant.master.platform.local;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.platform.NodeWatcher;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/// Watches agents as processes of this machine: its own children as they end, those of an earlier
/// master by looking for them.
final class LocalNodeWatcher implements NodeWatcher {
  private final LocalNodes nodes;

  LocalNodeWatcher(LocalNodes nodes) {
    this.nodes = nodes;
  }

  @Override
  public List<NodeNews> list() throws IOException {
    return nodes.list();
  }

  @Override
  public void watch(Consumer<NodeNews> news) {
    nodes.watch(news);
  }

  @Override
  public void close() {
    nodes.close();
  }
}

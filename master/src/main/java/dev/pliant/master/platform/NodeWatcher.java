package dev.pliant.master.platform;

import dev.pliant.machine.nodes.NodeNews;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/// Tells what happens to nodes on a platform.
///
/// Every implementation keeps these, and `NodeWatcherContract` tries them:
/// - a list has every node that there is, and those that have ended and are remembered, each once;
/// - what happens while it is watched is told: that a node is pending, runs, has ended. Who watches
///   first and lists then misses nothing; every end is in the list or is told;
/// - a node that has ended stays ended, in lists and in what is told;
/// - another watcher of the same job, in another process and later, finds the same nodes.
public interface NodeWatcher extends AutoCloseable {
  /// Every node as it is now.
  List<NodeNews> list() throws IOException;

  /// Has `news` hear of what changes from now on, in order, by one thread of the platform's; it
  /// must not block.
  void watch(Consumer<NodeNews> news);

  /// Tells nothing more; nodes stay as they are.
  @Override
  void close();
}

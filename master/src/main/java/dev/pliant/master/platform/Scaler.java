package dev.pliant.master.platform;

import dev.pliant.machine.nodes.DesiredNodes;

/// Adds and removes nodes on a platform.
///
/// Every implementation keeps these, and `ScalerContract` tries them:
/// - it is *level-triggered*: it makes what there is what is desired, whatever was desired before,
///   and however often it is told;
/// - a node that is desired to run is started, and started once, ever: not again after it has
///   ended, nor by another master that wants it too;
/// - a node that is leaving is told to go and has its grace; then it is killed. One that was never
///   started never will be, and is seen to end;
/// - a node that is there and not desired is killed at once, with all that it started;
/// - it starts and stops nothing before it is told for the first time.
public interface Scaler extends AutoCloseable {
  /// Says what is to be. Returns at once; the newest word counts.
  void scale(DesiredNodes desired);

  /// Does nothing more; nodes stay as they are.
  @Override
  void close();
}

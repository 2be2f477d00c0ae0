package dev.pliant.master.platform;

class FakePlatformWatcherTest extends NodeWatcherContract {
  @Override
  protected ScalerContract.World world() {
    return new FakePlatform();
  }
}

package dev.pliant.master.platform;

class FakePlatformScalerTest extends ScalerContract {
  @Override
  protected World world(boolean stubborn) {
    return new FakePlatform();
  }
}

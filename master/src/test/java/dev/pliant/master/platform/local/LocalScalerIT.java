package dev.pliant.master.platform.local;

import dev.pliant.master.platform.ScalerContract;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class LocalScalerIT extends ScalerContract {
  @TempDir Path folder;

  @Override
  protected World world(boolean stubborn) throws IOException {
    return new LocalWorld(
        folder, stubborn ? "trap '' TERM; while :; do sleep 0.1; done" : "exec sleep 600");
  }
}

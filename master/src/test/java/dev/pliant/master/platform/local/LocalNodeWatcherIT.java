package dev.pliant.master.platform.local;

import dev.pliant.master.platform.NodeWatcherContract;
import dev.pliant.master.platform.ScalerContract;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class LocalNodeWatcherIT extends NodeWatcherContract {
  @TempDir Path folder;

  @Override
  protected ScalerContract.World world() throws IOException {
    return new LocalWorld(folder, "exec sleep 600");
  }
}

package dev.pliant.master.platform.local;

import dev.pliant.master.platform.Platform;
import dev.pliant.master.platform.PlatformConfig;
import java.io.IOException;

/// Nodes as processes of this machine: the platform that needs no cluster.
public final class LocalPlatform implements Platform {
  public static final String NAME = "local";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Opened open(PlatformConfig config) throws IOException {
    if (config.agentCommand().isEmpty()) {
      throw new IllegalArgumentException("an agent is started by some command");
    }
    LocalNodes nodes = new LocalNodes(config);
    return new Opened(new LocalScaler(nodes), new LocalNodeWatcher(nodes));
  }
}

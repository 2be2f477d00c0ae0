package dev.pliant.master.platform;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;

/// A platform that can run nodes: an extension point, found by `ServiceLoader`.
public interface Platform {
  /// How it is called: `local`, for instance.
  String name();

  /// Makes it ready for a job. Nodes that an earlier master started are found again.
  Opened open(PlatformConfig config) throws IOException;

  /// A platform that is ready for one job.
  record Opened(Scaler scaler, NodeWatcher watcher) implements AutoCloseable {
    /// Lets go of the platform; its nodes stay as they are.
    @Override
    public void close() {
      scaler.close();
      watcher.close();
    }
  }

  /// The platform of that name.
  static Platform named(String name) {
    List<Platform> known =
        ServiceLoader.load(Platform.class).stream().map(ServiceLoader.Provider::get).toList();
    return known.stream()
        .filter(platform -> platform.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new PliantException(
                ErrorCode.BAD_JOB_PLAN,
                "there is no platform '%s'; there are %s."
                    .formatted(name, known.stream().map(Platform::name).toList())));
  }
}

package dev.pliant.master.platform;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;

/// A platform that can run nodes: an extension point, found by `ServiceLoader`.
public interface Platform {
  /// How it is called: `local`, for instance.
  String name();

  /// Makes it ready for a job. Nodes that an earlier master started are found again.
  Opened open(PlatformConfig config) throws IOException;

  /// A platform that is ready for one job.
  ///
  /// @param wishes where users of the platform say what they wish of the job
  /// @param over done once the platform has nothing more to do for this master: the job is over and
  ///   whoever asks the platform is told so, or a newer master speaks for the job
  record Opened(Scaler scaler, NodeWatcher watcher, WishSource wishes, CompletableFuture<Void> over)
      implements AutoCloseable {

    /// A platform of which nobody wishes anything, and which shows nothing of a job.
    public Opened(Scaler scaler, NodeWatcher watcher) {
      this(scaler, watcher, WishSource.NONE, new CompletableFuture<>());
    }

    /// Lets go of the platform; its nodes stay as they are.
    @Override
    public void close() {
      wishes.close();
      scaler.close();
      watcher.close();
    }
  }

  /// The platform of that name. Others are not loaded where it is found before them.
  static Platform named(String name) {
    return ServiceLoader.load(Platform.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(platform -> platform.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new PliantException(
                ErrorCode.BAD_JOB_PLAN,
                "there is no platform '%s'; there are %s."
                    .formatted(
                        name,
                        ServiceLoader.load(Platform.class).stream()
                            .map(provider -> provider.get().name())
                            .toList())));
  }
}

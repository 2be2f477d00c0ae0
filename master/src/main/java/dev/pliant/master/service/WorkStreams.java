package dev.pliant.master.service;

import dev.pliant.model.DatasetName;
import dev.pliant.model.WorkerId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The streams that are open, one for each worker and dataset. A worker that opens another has lost
/// the one before: what that one may still bring would lease shards that nobody hears of.
final class WorkStreams {
  private record Key(WorkerId worker, DatasetName dataset) {}

  private final Map<Key, WorkStream> open = new ConcurrentHashMap<>();

  /// Puts a stream in the place of the worker's last. When this returns, the last takes no more.
  void opened(WorkerId worker, DatasetName dataset, WorkStream stream) {
    WorkStream before = open.put(new Key(worker, dataset), stream);
    if (before != null) {
      before.replaced();
    }
  }

  void closed(WorkerId worker, DatasetName dataset, WorkStream stream) {
    open.remove(new Key(worker, dataset), stream);
  }
}

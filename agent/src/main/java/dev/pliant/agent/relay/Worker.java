package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Conversation.Peer;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One life of a worker: from the first connection that says hello under its name to the moment
/// when the master knows that it has ended. Its connections share its relays, one for each dataset.
final class Worker {
  static final int MAX_DATASETS = 256;

  private final WorkerId id;
  private final Map<Long, Peer> connections = new LinkedHashMap<>();
  private final Map<DatasetName, Relay> relays = new LinkedHashMap<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final CompletableFuture<Void> after;
  private @Nullable Farewell farewell;
  private boolean ending;

  /// @param after what must be over before this life may begin to work
  Worker(WorkerId id, CompletableFuture<Void> after) {
    this.id = id;
    this.after = after;
  }

  WorkerId id() {
    return id;
  }

  CompletableFuture<Void> after() {
    return after;
  }

  /// Completes when the master has taken note of the end.
  CompletableFuture<Void> ended() {
    return ended;
  }

  /// Adds a connection, unless this life is over.
  synchronized boolean join(Peer peer) {
    if (ending) {
      return false;
    }
    connections.put(peer.id(), peer);
    return true;
  }

  /// The worker's last words: those of the connection that left last, unless one had an error.
  synchronized Optional<Farewell> farewell() {
    return Optional.ofNullable(farewell);
  }

  /// Removes a connection.
  ///
  /// @param said its last words, or null
  /// @return whether it was the last one, with which this life ends
  synchronized boolean leave(long connection, @Nullable Farewell said) {
    connections.remove(connection);
    if (farewell == null || farewell.reason() != ExitReason.FATAL_ERROR) {
      farewell = said;
    }
    boolean last = connections.isEmpty();
    relays.values().forEach(relay -> relay.gone(connection, !last));
    ending |= last;
    return last;
  }

  /// The relay of a dataset, made by `start` where it is the first request about it.
  synchronized Relay relay(DatasetName dataset, Function<DatasetName, Relay> start) {
    Relay known = relays.get(dataset);
    if (known != null) {
      return known;
    }
    if (relays.size() >= MAX_DATASETS) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "worker %s asks for shards of more than %d datasets; no more are allowed."
              .formatted(id, MAX_DATASETS));
    }
    Relay relay = start.apply(dataset);
    relays.put(dataset, relay);
    return relay;
  }

  synchronized Optional<Relay> relay(DatasetName dataset) {
    return Optional.ofNullable(relays.get(dataset));
  }

  synchronized List<Relay> relays() {
    return new ArrayList<>(relays.values());
  }

  synchronized List<Peer> connections() {
    return new ArrayList<>(connections.values());
  }
}

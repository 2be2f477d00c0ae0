package dev.pliant.agent.world;

import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The requests of processes that a [WorldDesk] could not answer at once. Each is answered by its
/// deadline, should it be with no more than that there is nothing yet.
final class WaitingProcesses {
  private record Ask(
      long connection, WorkerId worker, long deadline, CompletableFuture<WorldAnswer> answer) {}

  private record Watch(
      long connection,
      WorkerId worker,
      long world,
      int seen,
      long deadline,
      CompletableFuture<Reforming> answer) {}

  private final WorldBook book;
  private final List<Ask> asks = new ArrayList<>();
  private final List<Watch> watches = new ArrayList<>();

  WaitingProcesses(WorldBook book) {
    this.book = book;
  }

  void add(WorldEvent.Asked asked, long deadline) {
    asks.add(new Ask(asked.connection(), asked.worker(), deadline, asked.answer()));
  }

  void add(WorldEvent.Watched watched, long deadline) {
    watches.add(
        new Watch(
            watched.connection(),
            watched.worker(),
            watched.world(),
            watched.seen(),
            deadline,
            watched.answer()));
  }

  /// Answers all that can be answered now.
  void answer(long now) {
    asks.removeIf(ask -> answered(ask, now));
    watches.removeIf(watch -> answered(watch, now));
  }

  private boolean answered(Ask ask, long now) {
    WorldAnswer answer = book.answer(ask.worker());
    boolean late = now - ask.deadline() >= 0;
    if (answer instanceof WorldAnswer.Wait && !late) {
      return false;
    }
    book.told(ask.worker());
    ask.answer().complete(answer);
    return true;
  }

  private boolean answered(Watch watch, long now) {
    Reforming reforming = book.reforming(watch.worker(), watch.world());
    boolean news = reforming.level() > watch.seen();
    if (!news && now - watch.deadline() < 0) {
      return false;
    }
    watch.answer().complete(news ? reforming : Reforming.NOT);
    return true;
  }

  /// A connection is gone: nobody waits there any more.
  void gone(long connection) {
    asks.removeIf(
        ask -> ask.connection() == connection && ask.answer().complete(new WorldAnswer.Wait()));
    watches.removeIf(
        watch -> watch.connection() == connection && watch.answer().complete(Reforming.NOT));
  }

  /// Answers everyone with an error.
  void fail(RuntimeException error) {
    asks.forEach(ask -> ask.answer().completeExceptionally(error));
    watches.forEach(watch -> watch.answer().completeExceptionally(error));
    asks.clear();
    watches.clear();
  }

  /// Whether a process waits for a world.
  boolean anybodyAsks() {
    return !asks.isEmpty();
  }

  /// The earliest deadline, or `otherwise` where that is earlier.
  long nextDeadline(long otherwise) {
    long earliest = otherwise;
    for (Ask ask : asks) {
      earliest = Math.min(earliest, ask.deadline());
    }
    for (Watch watch : watches) {
      earliest = Math.min(earliest, watch.deadline());
    }
    return earliest;
  }
}

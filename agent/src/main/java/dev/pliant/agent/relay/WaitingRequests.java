package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Answer;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.DatasetFailure;
import dev.pliant.protocol.v1.Shard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// The requests of processes that a [Relay] could not answer at once: for a shard, in the order in
/// which they came, and for word that reports have arrived. Each is answered by its deadline.
final class WaitingRequests {
  private record Next(long connection, long deadline, CompletableFuture<Answer> answer) {}

  private record Flush(
      long connection, long reports, long deadline, CompletableFuture<Answer> answer) {}

  private final LeaseBook book;
  private final Deque<Next> nexts = new ArrayDeque<>();
  private final List<Flush> flushes = new ArrayList<>();

  WaitingRequests(LeaseBook book) {
    this.book = book;
  }

  void addNext(long connection, long deadline, CompletableFuture<Answer> answer) {
    nexts.addLast(new Next(connection, deadline, answer));
  }

  void addFlush(long connection, long deadline, CompletableFuture<Answer> answer) {
    flushes.add(new Flush(connection, book.reportCount(), deadline, answer));
  }

  /// How many wait for a shard.
  int nexts() {
    return nexts.size();
  }

  /// Answers all that can be answered now.
  void answer(long now) {
    while (!nexts.isEmpty()) {
      Optional<Shard> shard = book.hand(nexts.getFirst().connection(), now);
      if (shard.isEmpty()) {
        break;
      }
      Next next = nexts.removeFirst();
      next.answer()
          .complete(new Answer.NextShard(shard.get(), book.takeRefusals(next.connection())));
    }
    while (!nexts.isEmpty() && now - nexts.getFirst().deadline() >= 0) {
      Next next = nexts.removeFirst();
      next.answer().complete(new Answer.Wait(book.takeRefusals(next.connection())));
    }
    flushes.removeIf(flush -> answered(flush, now));
  }

  private boolean answered(Flush flush, long now) {
    boolean arrived = book.settledCount() >= flush.reports();
    if (!arrived && now - flush.deadline() < 0) {
      return false;
    }
    List<Answer.Refusal> refused = book.takeRefusals(flush.connection());
    flush.answer().complete(arrived ? new Answer.Flushed(refused) : new Answer.Wait(refused));
    return true;
  }

  /// Every record is done.
  void end() {
    tellNexts(next -> new Answer.End(book.takeRefusals(next.connection())));
  }

  /// The dataset has failed.
  void failed(DatasetFailure failure) {
    tellNexts(next -> new Answer.Failed(failure, book.takeRefusals(next.connection())));
  }

  private void tellNexts(Function<Next, Answer> answer) {
    while (!nexts.isEmpty()) {
      Next next = nexts.removeFirst();
      next.answer().complete(answer.apply(next));
    }
  }

  /// Answers everyone with an error; says whether there was anyone.
  boolean fail(PliantException error) {
    boolean any = !nexts.isEmpty() || !flushes.isEmpty();
    nexts.forEach(next -> next.answer().completeExceptionally(error));
    flushes.forEach(flush -> flush.answer().completeExceptionally(error));
    nexts.clear();
    flushes.clear();
    return any;
  }

  /// A connection is gone: nobody waits there any more.
  void gone(long connection) {
    nexts.removeIf(next ->
        next.connection() == connection && next.answer().complete(new Answer.Wait(List.of())));
    flushes.removeIf(flush ->
        flush.connection() == connection && flush.answer().complete(new Answer.Wait(List.of())));
  }

  /// The earliest deadline, or `otherwise` where that is earlier.
  long nextDeadline(long otherwise) {
    long earliest = otherwise;
    if (!nexts.isEmpty()) {
      earliest = Math.min(earliest, nexts.getFirst().deadline());
    }
    for (Flush flush : flushes) {
      earliest = Math.min(earliest, flush.deadline());
    }
    return earliest;
  }
}

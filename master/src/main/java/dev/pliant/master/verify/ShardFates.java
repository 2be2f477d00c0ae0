package dev.pliant.master.verify;

import java.util.TreeMap;
import java.util.function.LongConsumer;

/// What the events said of every shard (or step) by number: how often it was completed, and whether
/// it is out or waits to be handed out again. A byte a shard.
final class ShardFates {
  private static final int PAGE = 4_096;
  private static final int COMPLETIONS = 0x3F;
  private static final int OUT = 0x40;
  private static final int QUEUED = 0x80;

  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private long end;
  private long doneCount;

  /// How many are completed.
  long doneCount() {
    return doneCount;
  }

  /// The number after the highest that was ever handed out.
  long end() {
    return end;
  }

  void leased(long number) {
    set(number, get(number) & ~QUEUED | OUT);
    end = Math.max(end, number + 1);
  }

  void done(long number) {
    int fate = get(number);
    doneCount += (fate & COMPLETIONS) == 0 ? 1 : 0;
    int completions = Math.min(COMPLETIONS, (fate & COMPLETIONS) + 1);
    set(number, fate & ~(COMPLETIONS | OUT) | completions);
    end = Math.max(end, number + 1);
  }

  void requeued(long number) {
    set(number, get(number) & ~OUT | QUEUED);
    end = Math.max(end, number + 1);
  }

  int completions(long number) {
    return get(number) & COMPLETIONS;
  }

  boolean isOut(long number) {
    return (get(number) & OUT) != 0;
  }

  boolean isQueued(long number) {
    return (get(number) & QUEUED) != 0;
  }

  /// Visits what is completed other than once, or not at all and yet neither out nor waiting: a
  /// shard that was handed out and lost.
  void forEachFault(LongConsumer visitor) {
    for (long number = 0; number < end; number++) {
      int fate = get(number);
      int due = (fate & (OUT | QUEUED)) == 0 ? 1 : 0;
      if ((fate & COMPLETIONS) != due) {
        visitor.accept(number);
      }
    }
  }

  private int get(long number) {
    byte[] page = pages.get(number / PAGE);
    return page == null ? 0 : page[(int) (number % PAGE)] & 0xFF;
  }

  private void set(long number, int fate) {
    pages.computeIfAbsent(number / PAGE, _ -> new byte[PAGE])[(int) (number % PAGE)] = (byte) fate;
  }
}

package dev.pliant.machine.shards;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A set of shard numbers that fills from below: costs memory for what is done out of order only.
///
/// Everything before the first missing number is known without being stored; above it a page of
/// bits holds [#PAGE] numbers, and a page that is full is a shared marker.
final class DoneSet {
  private static final int PAGE = 4_096;
  private static final long[] FULL = new long[0];

  private final TreeMap<Long, long[]> pages = new TreeMap<>();
  private long firstMissing;
  private long count;

  // The page that was touched last: numbers come close together.
  private long cachedKey = -1;
  private long[] cachedPage = FULL;

  /// The smallest number that is not in the set.
  long firstMissing() {
    return firstMissing;
  }

  /// How many numbers are in the set.
  long count() {
    return count;
  }

  boolean contains(long number) {
    if (number < firstMissing) {
      return true;
    }
    long[] page = page(number / PAGE);
    return page != null && (page == FULL || bit(page, number));
  }

  /// Adds a number that is not yet in the set.
  void add(long number) {
    if (contains(number)) {
      throw new IllegalStateException("shard " + number + " is done already");
    }
    long key = number / PAGE;
    long[] page = page(key);
    if (page == null) {
      page = new long[PAGE / Long.SIZE];
      pages.put(key, page);
      cache(key, page);
    }
    int at = (int) (number % PAGE);
    page[at / Long.SIZE] |= 1L << at;
    count++;
    if (page[at / Long.SIZE] == -1L && isFull(page)) {
      pages.put(key, FULL);
      cache(key, FULL);
    }
    if (number == firstMissing) {
      advance();
    }
  }

  /// Adds `length` numbers from `first`, none of which is in the set.
  void addRange(long first, long length) {
    if (first == firstMissing && pages.isEmpty()) {
      firstMissing += length;
      count += length;
      // The page that the range ends in may be filled up later, so its beginning must be there.
      restorePageOf(firstMissing);
      return;
    }
    for (long number = first; number < first + length; number++) {
      add(number);
    }
  }

  /// The set as pairs: the gap since the range before, and the range's length.
  long[] ranges() {
    RangeWriter writer = new RangeWriter();
    if (firstMissing > 0) {
      writer.range(0, firstMissing);
    }
    for (Map.Entry<Long, long[]> entry : pages.entrySet()) {
      long base = entry.getKey() * PAGE;
      if (entry.getValue() == FULL) {
        writer.range(Math.max(base, firstMissing), base + PAGE);
        continue;
      }
      eachBit(
          entry.getValue(),
          base,
          number -> {
            if (number >= firstMissing) {
              writer.range(number, number + 1);
            }
          });
    }
    return writer.pairs();
  }

  static DoneSet ofRanges(long[] pairs) {
    DoneSet set = new DoneSet();
    long at = 0;
    for (int i = 0; i < pairs.length; i += 2) {
      set.addRange(at + pairs[i], pairs[i + 1]);
      at += pairs[i] + pairs[i + 1];
    }
    return set;
  }

  private void advance() {
    while (true) {
      long key = firstMissing / PAGE;
      long[] page = page(key);
      if (page == null) {
        return;
      }
      if (page == FULL) {
        pages.remove(key);
        cache(-1, FULL);
        firstMissing = (key + 1) * PAGE;
        continue;
      }
      int at = (int) (firstMissing % PAGE);
      long rest = ~page[at / Long.SIZE] >>> at;
      if (rest != 0) {
        firstMissing += Long.numberOfTrailingZeros(rest);
        return;
      }
      firstMissing += Long.SIZE - at % Long.SIZE;
    }
  }

  private void restorePageOf(long number) {
    int filled = (int) (number % PAGE);
    if (filled == 0) {
      return;
    }
    long[] page = new long[PAGE / Long.SIZE];
    Arrays.fill(page, 0, filled / Long.SIZE, -1L);
    if (filled % Long.SIZE != 0) {
      page[filled / Long.SIZE] = (1L << filled) - 1;
    }
    pages.put(number / PAGE, page);
    cache(-1, FULL);
  }

  private long @Nullable [] page(long key) {
    if (key == cachedKey) {
      return cachedPage;
    }
    long[] page = pages.get(key);
    if (page != null) {
      cache(key, page);
    }
    return page;
  }

  private void cache(long key, long[] page) {
    cachedKey = key;
    cachedPage = page;
  }

  private static boolean bit(long[] page, long number) {
    int at = (int) (number % PAGE);
    return (page[at / Long.SIZE] >>> at & 1) != 0;
  }

  private static boolean isFull(long[] page) {
    for (long word : page) {
      if (word != -1L) {
        return false;
      }
    }
    return true;
  }

  private static void eachBit(long[] page, long base, LongConsumer each) {
    for (int word = 0; word < page.length; word++) {
      for (long bits = page[word]; bits != 0; bits &= bits - 1) {
        each.accept(base + (long) word * Long.SIZE + Long.numberOfTrailingZeros(bits));
      }
    }
  }

  /// Joins ranges that touch and writes them as gap and length.
  private static final class RangeWriter {
    private long[] pairs = new long[8];
    private int used;
    private long start = -1;
    private long end;
    private long written;

    void range(long from, long to) {
      if (start >= 0 && from == end) {
        end = to;
        return;
      }
      close();
      start = from;
      end = to;
    }

    long[] pairs() {
      close();
      return Arrays.copyOf(pairs, used);
    }

    private void close() {
      if (start < 0) {
        return;
      }
      if (used == pairs.length) {
        pairs = Arrays.copyOf(pairs, used * 2);
      }
      pairs[used++] = start - written;
      pairs[used++] = end - start;
      written = end;
      start = -1;
    }
  }
}

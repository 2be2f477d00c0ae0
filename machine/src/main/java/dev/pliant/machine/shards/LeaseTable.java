package dev.pliant.machine.shards;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The shards that are out: who has each, and since when. Numbers come close together, so they lie
/// in pages of [#PAGE]; a page that empties is dropped.
final class LeaseTable {
  private static final int PAGE = 256;

  private static final class Page {
    /// Worker number plus one; 0 where nobody has the shard.
    final int[] holders = new int[PAGE];

    final long[] sinceMillis = new long[PAGE];
    int count;
  }

  /// What [#forEach] calls.
  interface Visitor {
    void visit(long number, int worker, long sinceMillis);
  }

  private final TreeMap<Long, Page> pages = new TreeMap<>();
  private long size;
  private long cachedKey = -1;
  private @Nullable Page cachedPage;

  long size() {
    return size;
  }

  /// The worker that has the shard, or −1.
  int worker(long number) {
    Page page = page(number / PAGE);
    return page == null ? -1 : page.holders[(int) (number % PAGE)] - 1;
  }

  void put(long number, int worker, long sinceMillis) {
    long key = number / PAGE;
    Page page = page(key);
    if (page == null) {
      page = new Page();
      pages.put(key, page);
      cachedKey = key;
      cachedPage = page;
    }
    int at = (int) (number % PAGE);
    if (page.holders[at] != 0) {
      throw new IllegalStateException("shard " + number + " is out already");
    }
    page.holders[at] = worker + 1;
    page.sinceMillis[at] = sinceMillis;
    page.count++;
    size++;
  }

  /// Takes a shard that is out from its holder; returns since when it was out.
  long remove(long number) {
    long key = number / PAGE;
    Page page = page(key);
    int at = (int) (number % PAGE);
    if (page == null || page.holders[at] == 0) {
      throw new IllegalStateException("shard " + number + " is not out");
    }
    page.holders[at] = 0;
    page.count--;
    size--;
    if (page.count == 0) {
      pages.remove(key);
      cachedKey = -1;
    }
    return page.sinceMillis[at];
  }

  /// Every shard that is out, in ascending order.
  void forEach(Visitor visitor) {
    for (Map.Entry<Long, Page> entry : pages.entrySet()) {
      Page page = entry.getValue();
      for (int at = 0; at < PAGE; at++) {
        if (page.holders[at] != 0) {
          visitor.visit(entry.getKey() * PAGE + at, page.holders[at] - 1, page.sinceMillis[at]);
        }
      }
    }
  }

  private @Nullable Page page(long key) {
    if (key != cachedKey) {
      Page page = pages.get(key);
      if (page == null) {
        return null;
      }
      cachedKey = key;
      cachedPage = page;
    }
    return cachedPage;
  }
}

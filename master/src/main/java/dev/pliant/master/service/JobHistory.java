package dev.pliant.master.service;

import com.google.protobuf.MessageLite;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.decision.Rule;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.v1.Decision;
import dev.pliant.protocol.v1.HistoryFilter;
import dev.pliant.protocol.v1.JobEvent;
import dev.pliant.views.EventText;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A job's history, a page at a time. It is read from the journal beside the master that writes;
/// nothing is kept but the names of workers and datasets.
final class JobHistory {
  static final int PAGE = 100;
  static final int MAX_PAGE = 1_000;

  private static final int MAX_RULES = 64;

  /// What a page has at the most, so that it fits into a message.
  private static final int MAX_BYTES = 2 << 20;

  private final Supplier<JournalStore> journal;
  private final EventText text = new EventText();

  /// The last event whose names are known.
  private long noted;

  /// @param journal opens the journal anew, for reading
  JobHistory(Supplier<JournalStore> journal) {
    this.journal = journal;
  }

  /// Which events are listed.
  ///
  /// @param after the last event before the page
  /// @param newest whether the newest are listed instead of the first
  record Query(
      long fromMillis,
      long toMillis,
      @Nullable NodeId node,
      Set<Rule> rules,
      int size,
      long after,
      boolean newest) {
    static Query of(HistoryFilter filter, int pageSize, String pageToken, boolean newest) {
      WireCodec.checkCount("rules", filter.getRulesCount(), MAX_RULES);
      if (pageSize < 0 || pageSize > MAX_PAGE) {
        throw new PliantException(
            ErrorCode.TOO_MANY,
            "a page of %s; ask for 1 to %,d."
                .formatted(Integer.toUnsignedString(pageSize), MAX_PAGE));
      }
      Set<Rule> rules = EnumSet.noneOf(Rule.class);
      filter.getRulesList().forEach(word -> rules.add(Rule.of(word)));
      return new Query(
          filter.getFromMs(),
          filter.getToMs() == 0 ? Long.MAX_VALUE : filter.getToMs(),
          filter.getNode().isEmpty() ? null : NodeId.parse(filter.getNode()),
          rules,
          pageSize == 0 ? PAGE : pageSize,
          after(pageToken),
          newest);
    }

    private static long after(String token) {
      try {
        long after = token.isEmpty() ? 0 : Long.parseLong(token);
        if (after >= 0) {
          return after;
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
      throw new PliantException(
          ErrorCode.BAD_MESSAGE, "the page token is none that a page answered; begin without one.");
    }

    private boolean takes(Event event, long atMillis, EventText text) {
      if (atMillis < fromMillis || atMillis >= toMillis) {
        return false;
      }
      if (!rules.isEmpty()
          && (!event.hasDecisionMade()
              || rules.stream().noneMatch(rule -> isBy(rule, event.getDecisionMade())))) {
        return false;
      }
      return node == null || text.concerns(event, node);
    }

    private static boolean isBy(Rule rule, Decision decision) {
      return decision.getChoice().getRule().name().equals("RULE_" + rule.name());
    }
  }

  /// A page, and where the next one begins.
  record Page<T>(List<T> found, long next, boolean more) {}

  Page<Decision> decisions(Query query) {
    return list(
        query,
        (event, _, _) ->
            event.hasDecisionMade() ? Optional.of(event.getDecisionMade()) : Optional.empty());
  }

  Page<JobEvent> events(Query query) {
    return list(query, text::of);
  }

  private interface View<T> {
    Optional<T> of(Event event, long sequence, long atMillis);
  }

  /// Thrown to end the reading of a journal early.
  private static final class Enough extends IOException {
    private static final long serialVersionUID = 1;

    private Enough() {
      super("the page is full");
    }
  }

  private synchronized <T extends MessageLite> Page<T> list(Query query, View<T> view) {
    Gathered<T> gathered = new Gathered<>(query);
    try (JournalStore store = journal.get()) {
      store.replay(
          Math.min(query.after, noted),
          batch -> {
            long sequence = batch.getFirstSequence();
            for (Event event : batch.getEventsList()) {
              if (sequence > noted) {
                text.note(event);
                noted = sequence;
              }
              if (sequence > query.after && query.takes(event, batch.getAtMs(), text)) {
                Optional<T> shown = view.of(event, sequence, batch.getAtMs());
                if (shown.isPresent()) {
                  gathered.add(shown.get());
                }
              }
              gathered.last = Math.max(gathered.last, sequence);
              sequence++;
            }
          });
    } catch (Enough e) {
      return gathered.page(true);
    } catch (IOException e) {
      throw new PliantException(
          ErrorCode.JOURNAL_STALLED, "the journal cannot be read: " + e.getMessage(), e);
    }
    return gathered.page(false);
  }

  private static final class Gathered<T extends MessageLite> {
    private final Query query;
    private final Deque<T> found = new ArrayDeque<>();
    private int bytes;

    /// The last event that was read.
    private long last;

    Gathered(Query query) {
      this.query = query;
      this.last = query.after;
    }

    void add(T one) throws Enough {
      int size = one.getSerializedSize();
      boolean full = found.size() >= query.size || (bytes + size > MAX_BYTES && !found.isEmpty());
      if (full && !query.newest) {
        throw new Enough();
      }
      found.add(one);
      bytes += size;
      while (found.size() > query.size || (bytes > MAX_BYTES && found.size() > 1)) {
        bytes -= found.removeFirst().getSerializedSize();
      }
    }

    Page<T> page(boolean more) {
      return new Page<>(List.copyOf(found), last, more);
    }
  }
}

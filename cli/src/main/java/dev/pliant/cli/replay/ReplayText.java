package dev.pliant.cli.replay;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.master.replay.Replayed;
import dev.pliant.master.replay.Replayed.Difference;
import java.time.Instant;
import java.util.List;

/// The result of a replay, for people.
public final class ReplayText {
  private ReplayText() {}

  public static List<String> lines(Replayed replayed) {
    return replayed.difference().map(ReplayText::lines).orElseGet(() -> List.of(same(replayed)));
  }

  private static String same(Replayed replayed) {
    String span =
        replayed.from().isEmpty() || replayed.to().isEmpty()
            ? ""
            : ", from %s to %s (%s)"
                .formatted(
                    inSeconds(replayed.from().get()),
                    inSeconds(replayed.to().get()),
                    Amounts.seconds(replayed.span()));
    return "replay: no difference. Decided again: %s with %s, of these %s%s. Applied as recorded: %s of leases and reports."
        .formatted(
            Amounts.count(replayed.commands(), "command"),
            Amounts.count(replayed.events(), "event"),
            Amounts.count(replayed.decisions(), "decision"),
            span,
            Amounts.count(replayed.applied(), "event"));
  }

  private static Instant inSeconds(Instant time) {
    return Instant.ofEpochSecond(time.getEpochSecond());
  }

  private static List<String> lines(Difference difference) {
    return List.of(
        "replay: the first DIFFERENCE is at event %,d (batch at byte %d of %s, %s)."
            .formatted(
                difference.sequence(), difference.offset(), difference.segment(), difference.at()),
        "command:  "
            + orElse(difference.command(), "none; this followed from the state and the time"),
        "recorded: " + orElse(difference.recorded(), "no event"),
        "decided:  " + orElse(difference.decided(), "no event"));
  }

  private static String orElse(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }
}

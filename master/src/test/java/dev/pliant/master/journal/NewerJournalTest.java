package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.JobPhaseChanged;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NewerJournalTest {
  static List<Event> events() {
    return List.of(
        Event.getDefaultInstance(),
        Event.newBuilder().setJobPhaseChanged(JobPhaseChanged.newBuilder().setPhase(999)).build());
  }

  @ParameterizedTest
  @MethodSource("events")
  void asksForTheNewerPliant(Event event) {
    assertThatThrownBy(() -> EventCodec.decode(event))
        .isInstanceOfSatisfying(
            PliantException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NEWER_JOURNAL);
              assertThat(e).hasMessageContaining("that a newer Pliant has written; use that one");
            });
  }
}

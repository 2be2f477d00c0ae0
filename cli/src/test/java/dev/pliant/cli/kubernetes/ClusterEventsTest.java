package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.JobId;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ClusterEventsTest {
  private static final JobNames NAMES = new JobNames(new JobId("team", "digits"));

  private static final Instant MADE = Instant.parse("2026-01-01T00:01:00Z");

  private static Event event(String kind, String object, String times) {
    return Serialization.unmarshal(
        """
        metadata: {name: e-%2$s, uid: "u-%2$s", creationTimestamp: "2026-01-01T00:09:00Z"}
        involvedObject: {kind: %1$s, name: %2$s}
        type: Normal
        reason: Scaled
        message: "it grows\\nvery much"
        %3$s
        """
            .formatted(kind, object, times),
        Event.class);
  }

  private static String at(int minute) {
    return "lastTimestamp: '2026-01-01T00:0%d:00Z'".formatted(minute);
  }

  @Test
  void tellsWhatHappenedToAJobAndNothingElseInTheOrderOfTime() {
    List<Event> events =
        List.of(
            event("Pod", "digits-worker-10", at(4)),
            event("Pod", "digits-master-0", at(3)),
            event("ElasticJob", "digits", at(1)),
            event("ElasticJob", "digits", at(0)), // Of an earlier one of that name.
            event("ElasticJob", "digits-2", at(1)),
            event("Pod", "digits-2-worker-0", at(1)),
            event("Pod", "digits-master-x", at(1)),
            event("Node", "digits", at(1)),
            event("ScalePlan", "more", at(2)),
            event("ScalePlan", "other", at(2)));

    List<JobEvent> told = ClusterEvents.of(events, NAMES, Set.of("more"), MADE);

    assertThat(told)
        .extracting(event -> event.sequence() + " " + event.kind() + " " + event.message())
        .containsExactly(
            "1 job Scaled: it grows",
            "2 plan more: Scaled: it grows",
            "3 master digits-master-0: Scaled: it grows",
            "4 node worker-10: Scaled: it grows");
  }

  @Test
  void knowsWhenAnEventHappenedLastWhoeverWroteIt() {
    assertThat(ClusterEvents.at(event("Pod", "x", at(4)))).isEqualTo("2026-01-01T00:04:00Z");
    assertThat(ClusterEvents.at(event("Pod", "x", "eventTime: '2026-01-01T00:05:00.250000Z'")))
        .isEqualTo("2026-01-01T00:05:00.250Z");
    assertThat(
            ClusterEvents.at(
                event(
                    "Pod",
                    "x",
                    "eventTime: '2026-01-01T00:05:00.000000Z'\nseries: {count: 3, lastObservedTime: '2026-01-01T00:06:00.000000Z'}")))
        .isEqualTo("2026-01-01T00:06:00Z");
    assertThat(ClusterEvents.at(event("Pod", "x", ""))).isEqualTo("2026-01-01T00:09:00Z");
    Event none = event("Pod", "x", "");
    none.getMetadata().setCreationTimestamp(null);
    assertThat(ClusterEvents.at(none)).isEqualTo(Instant.EPOCH);
  }

  @Test
  void anEventThatIsRepeatedIsAnotherOne() {
    JobEvent first = only(event("ElasticJob", "digits", at(1) + "\ncount: 1"));
    JobEvent again = only(event("ElasticJob", "digits", at(2) + "\ncount: 2"));

    assertThat(again.message()).isEqualTo("Scaled: it grows (2 times)");
    assertThat(ClusterEvents.identity(again)).isNotEqualTo(ClusterEvents.identity(first));
    assertThat(ClusterEvents.identity(first))
        .isEqualTo(
            ClusterEvents.identity(only(event("ElasticJob", "digits", at(1) + "\ncount: 1"))));
  }

  private static JobEvent only(Event event) {
    return ClusterEvents.of(List.of(event), NAMES, Set.of(), MADE).getFirst();
  }
}

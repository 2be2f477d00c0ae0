package dev.pliant.master.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.machine.Command;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.journal.EventCodec;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.Strategy;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.v1.Decision;
import dev.pliant.protocol.v1.HistoryFilter;
import dev.pliant.protocol.v1.JobEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JobHistoryTest {
  private static final JobId JOB = new JobId("default", "history");
  private static final HistoryFilter ALL = HistoryFilter.getDefaultInstance();
  private static final int NODES = 40;

  private final JournalLocation location = JournalLocation.memory();
  private final JobState state = new JobState(JOB);
  private final JobHistory history = new JobHistory(() -> JournalStores.open(location, JOB));
  private long now = 1_000_000;

  private static NodeId worker(int number) {
    return new NodeId(NodeId.WORKER, number);
  }

  @BeforeEach
  void aJobLosesANodeAfterTheOther() throws IOException {
    try (JournalStore store = JournalStores.open(location, JOB)) {
      store.claim();
      store.replay(0, _ -> {});
      store.begin(1);
      step(store, new Command.StartMaster(1));
      step(store, new Command.DefineJob(plan()));
      for (int i = 0; i < NODES; i++) {
        now += 20_000;
        step(store, new Command.ObserveNode(new NodeNews.Running(worker(i))));
        step(store, new Command.OpenMeeting(worker(i), List.of()));
        now += 20_000;
        step(
            store,
            new Command.ObserveNode(
                new NodeNews.Ended(worker(i), 137, false, ExitReason.KILLED, "")));
      }
    }
  }

  private void step(JournalStore store, Command command) throws IOException {
    long first = state.events() + 1;
    Batch.Builder batch = Batch.newBuilder().setFirstSequence(first).setAtMs(now);
    JobMachine.step(state, List.of(List.of(command)), now)
        .events()
        .forEach(event -> batch.addEvents(EventCodec.encode(event)));
    if (batch.getEventsCount() > 0) {
      store.append(batch.build());
    }
  }

  private static JobPlan plan() {
    return new JobPlan(
        JOB,
        2,
        Strategy.ALLREDUCE,
        Elasticity.IN_PROCESS,
        new JobPlan.Workers(1, 1, 1, 3, NodeResources.UNBOUNDED),
        1,
        List.of("true"),
        Map.of(),
        "/",
        null,
        "",
        1_000,
        List.of());
  }

  private static JobHistory.Query page(HistoryFilter filter, int size, String token) {
    return JobHistory.Query.of(filter, size, token, false);
  }

  private List<Decision> all(HistoryFilter filter, int size) {
    List<Decision> all = new ArrayList<>();
    String token = "";
    while (true) {
      JobHistory.Page<Decision> page = history.decisions(page(filter, size, token));
      assertThat(page.found()).hasSizeLessThanOrEqualTo(size);
      all.addAll(page.found());
      if (!page.more()) {
        return all;
      }
      token = Long.toString(page.next());
    }
  }

  @Test
  void pagesHoldEveryDecisionOnceAndInOrder() {
    List<Decision> atOnce = all(ALL, 1_000);

    assertThat(atOnce).hasSizeGreaterThan(2 * NODES);
    assertThat(atOnce).isSortedAccordingTo((a, b) -> Long.compare(a.getId(), b.getId()));
    for (int size : new int[] {1, 7, 100}) {
      assertThat(all(ALL, size)).as("pages of %d", size).isEqualTo(atOnce);
    }
  }

  @Test
  void listsByRuleNodeAndTime() {
    HistoryFilter rule = HistoryFilter.newBuilder().addRules("gone-from-outside").build();
    HistoryFilter node = HistoryFilter.newBuilder().setNode("worker-3").build();
    HistoryFilter time =
        HistoryFilter.newBuilder()
            .setFromMs(1_000_000 + 40_000)
            .setToMs(1_000_000 + 80_000)
            .build();

    assertThat(all(rule, 100)).hasSize(NODES);
    assertThat(all(node, 100))
        .extracting(decision -> decision.getChoice().getRule().name())
        .containsExactly("RULE_REPLACEMENT_DUE", "RULE_GONE_FROM_OUTSIDE", "RULE_REPLACEMENT_DUE");
    assertThat(all(time, 100))
        .isNotEmpty()
        .allMatch(decision -> decision.getAtMillis() >= 1_040_000)
        .allMatch(decision -> decision.getAtMillis() < 1_080_000);
  }

  @Test
  void listsTheNewest() {
    List<Decision> every = all(ALL, 1_000);

    assertThat(history.decisions(JobHistory.Query.of(ALL, 5, "", true)).found())
        .isEqualTo(every.subList(every.size() - 5, every.size()));
  }

  @Test
  void eventsGoOnWhereTheLastPageEnded() throws IOException {
    JobHistory.Page<JobEvent> first = history.events(page(ALL, 1_000, ""));
    assertThat(first.more()).isFalse();
    assertThat(first.found()).extracting(JobEvent::getKind).contains("master", "node", "decision");
    String token = Long.toString(first.next());
    assertThat(history.events(page(ALL, 10, token)).found()).isEmpty();

    try (JournalStore store = JournalStores.open(location, JOB)) {
      store.claim();
      store.replay(0, _ -> {});
      store.begin(state.events() + 1);
      step(store, new Command.StopJob("a test"));
    }

    assertThat(history.events(page(ALL, 10, token)).found())
        .extracting(JobEvent::getMessage)
        .contains("The job is stopped by a test. All nodes end.");
  }

  @Test
  void refusesWhatMakesNoPage() {
    assertThatThrownBy(() -> page(ALL, 1_001, "")).isInstanceOf(PliantException.class);
    assertThatThrownBy(() -> page(ALL, 10, "-1")).isInstanceOf(PliantException.class);
    assertThatThrownBy(() -> page(ALL, 10, "abc")).isInstanceOf(PliantException.class);
    assertThatThrownBy(
            () -> page(HistoryFilter.newBuilder().addRules("no-such-rule").build(), 10, ""))
        .hasMessageContaining("no-such-rule");
  }
}

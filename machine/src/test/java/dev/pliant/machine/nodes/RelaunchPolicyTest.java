package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.nodes.RelaunchPolicy.Verdict;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Rule;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RelaunchPolicyTest {
  private static final long NOW = 1_000_000;
  private static final RelaunchPolicy POLICY = RelaunchPolicy.DEFAULT;

  private static Node ended(
      ExitReason reason, int restarts, int streak, long backoff, long memoryMib, long livedMillis) {
    return new Node(
        NodeLife.worker(7),
        0,
        new NodeResources(0, memoryMib, 0),
        null,
        restarts,
        streak,
        backoff,
        NodePhase.FAILED,
        false,
        true,
        false,
        false,
        reason,
        "the last line",
        NOW - livedMillis - 100,
        0,
        livedMillis < 0 ? 0 : NOW - livedMillis,
        NOW);
  }

  record Case(
      String what,
      Strategy strategy,
      Node node,
      int outsideEnds,
      Rule wantRule,
      boolean wantAgain,
      int wantRestarts,
      long wantBackoff,
      long wantMemory) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Case again(
      String what, Strategy strategy, Node node, Rule rule, int restarts, long backoff) {
    return new Case(
        what, strategy, node, 0, rule, true, restarts, backoff, node.resources().memoryMib());
  }

  private static Case more(String what, long memory, long wantMemory) {
    Node node = ended(ExitReason.OOM, 1, 0, 0, memory, 50_000);
    return new Case(what, Strategy.ALLREDUCE, node, 0, Rule.OUT_OF_MEMORY, true, 1, 0, wantMemory);
  }

  private static Case fails(String what, Strategy strategy, Node node, int outsideEnds, Rule rule) {
    return new Case(what, strategy, node, outsideEnds, rule, false, 0, 0, 0);
  }

  static Stream<Case> cases() {
    Strategy group = Strategy.ALLREDUCE;
    Strategy local = Strategy.LOCAL;
    return Stream.of(
        again(
            "a kill uses up nothing, and the first is made good at once",
            group,
            ended(ExitReason.KILLED, 3, 0, 0, 0, 50),
            Rule.GONE_FROM_OUTSIDE,
            3,
            0),
        again(
            "a second kill in a row is waited for a second",
            group,
            ended(ExitReason.KILLED, 0, 1, 0, 0, 50),
            Rule.GONE_FROM_OUTSIDE,
            0,
            1_000),
        again(
            "the wait doubles",
            group,
            ended(ExitReason.KILLED, 0, 4, 4_000, 0, 50),
            Rule.GONE_FROM_OUTSIDE,
            0,
            8_000),
        again(
            "up to five minutes",
            group,
            ended(ExitReason.KILLED, 0, 60, 300_000, 0, 50),
            Rule.GONE_FROM_OUTSIDE,
            0,
            300_000),
        again(
            "who lived for longer than it was waited for begins anew",
            group,
            ended(ExitReason.KILLED, 0, 5, 16_000, 0, 16_000),
            Rule.GONE_FROM_OUTSIDE,
            0,
            0),
        again(
            "who lived for less does not",
            group,
            ended(ExitReason.KILLED, 0, 5, 16_000, 0, 15_999),
            Rule.GONE_FROM_OUTSIDE,
            0,
            16_000),
        again(
            "who never ran has not lived",
            group,
            ended(ExitReason.KILLED, 0, 1, 0, 0, -1),
            Rule.GONE_FROM_OUTSIDE,
            0,
            1_000),
        again(
            "a machine that failed uses up nothing",
            local,
            ended(ExitReason.HARDWARE_ERROR, 3, 0, 0, 0, 50),
            Rule.GONE_FROM_OUTSIDE,
            3,
            0),
        again(
            "a node that fell silent uses up nothing",
            local,
            ended(ExitReason.NO_HEARTBEAT, 3, 0, 0, 0, 50),
            Rule.GONE_FROM_OUTSIDE,
            3,
            0),
        fails(
            "the hundredth in an hour fails the job",
            group,
            ended(ExitReason.KILLED, 0, 0, 0, 0, 50),
            99,
            Rule.TOO_MANY_FROM_OUTSIDE),
        again(
            "a group's program that fails is tried again",
            group,
            ended(ExitReason.FATAL_ERROR, 0, 0, 0, 0, 50),
            Rule.FAILED,
            1,
            0),
        again(
            "up to the last restart",
            group,
            ended(ExitReason.FATAL_ERROR, 2, 0, 0, 0, 50),
            Rule.FAILED,
            3,
            0),
        fails(
            "and no further",
            group,
            ended(ExitReason.FATAL_ERROR, 3, 0, 0, 0, 50),
            0,
            Rule.RESTARTS_USED_UP),
        fails(
            "a lone program that fails is not tried again",
            local,
            ended(ExitReason.FATAL_ERROR, 0, 0, 0, 0, 50),
            0,
            Rule.FATAL_ERROR),
        again(
            "an end nobody knows the meaning of uses up a restart",
            local,
            ended(ExitReason.UNKNOWN, 0, 0, 0, 0, 50),
            Rule.FAILED,
            1,
            0),
        again(
            "out of memory without a limit uses up a restart",
            group,
            ended(ExitReason.OOM, 0, 0, 0, 0, 50),
            Rule.FAILED,
            1,
            0),
        fails(
            "out of memory without a limit, restarts used up",
            group,
            ended(ExitReason.OOM, 3, 0, 0, 0, 50),
            0,
            Rule.RESTARTS_USED_UP),
        more("out of memory doubles the limit", 512, 1_024),
        more("by no more than 8,192 MiB", 10_000, 18_192),
        more("and never above 65,536 MiB", 60_000, 65_536),
        fails(
            "out of memory with all there is fails the job",
            group,
            ended(ExitReason.OOM, 0, 0, 0, 65_536, 50),
            0,
            Rule.OUT_OF_MEMORY_AT_MOST));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyEndHasItsRule(Case c) {
    JobPlan plan = NodeLife.plan(c.strategy, 1, 1, 1, NodeResources.UNBOUNDED);

    Verdict verdict = POLICY.judge(plan, c.node, c.outsideEnds, Long.MAX_VALUE, NOW);

    assertThat(verdict.choice().rule()).isEqualTo(c.wantRule);
    assertThat(verdict.choice().inputs()).isNotEmpty();
    assertThat(verdict.choice().alternatives().list()).isNotEmpty();
    switch (verdict) {
      case Verdict.Again(Relaunch relaunch, boolean _, var _) -> {
        assertThat(c.wantAgain).isTrue();
        assertThat(relaunch.of()).isEqualTo(c.node.id());
        assertThat(relaunch.restarts()).isEqualTo(c.wantRestarts);
        assertThat(relaunch.dueMillis()).isEqualTo(NOW + c.wantBackoff);
        assertThat(relaunch.resources().memoryMib()).isEqualTo(c.wantMemory);
      }
      case Verdict.Fail(String reason, var _) -> {
        assertThat(c.wantAgain).isFalse();
        assertThat(reason).contains("worker-7").contains("the last line");
      }
    }
  }

  @Test
  void everyReasonIsJudgedUnderEveryStrategy() {
    for (Strategy strategy : Strategy.values()) {
      JobPlan plan = NodeLife.plan(strategy, 1, 1, 1, NodeResources.UNBOUNDED);
      assertThat(Arrays.stream(ExitReason.values()))
          .allSatisfy(reason ->
              assertThat(
                      POLICY
                          .judge(plan, ended(reason, 0, 0, 0, 0, 50), 0, Long.MAX_VALUE, NOW)
                          .choice())
                  .isNotNull());
    }
  }

  @Test
  void outOfMemoryGetsNoMoreThanTheJobsLimitsLeave() {
    JobPlan plan = NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 1, NodeResources.UNBOUNDED);
    Node node = ended(ExitReason.OOM, 0, 0, 0, 1_000, 50);

    assertThat(POLICY.judge(plan, node, 0, 1_300, NOW))
        .isInstanceOfSatisfying(
            Verdict.Again.class,
            again -> assertThat(again.relaunch().resources().memoryMib()).isEqualTo(1_300));
    assertThat(POLICY.judge(plan, node, 0, 1_000, NOW))
        .isInstanceOfSatisfying(
            Verdict.Fail.class,
            fail -> {
              assertThat(fail.choice().rule()).isEqualTo(Rule.OUT_OF_MEMORY_AT_LIMITS);
              assertThat(fail.reason())
                  .startsWith(
                      "node worker-7 ran out of memory with 1,000 MiB, and the job's limits leave it no more; raise spec.resourceLimits,");
            });
  }
}

package dev.pliant.views;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.DatasetName;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Prediction;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import dev.pliant.model.decision.Value;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class DecisionTextTest {
  private static final NodeResources SMALL = new NodeResources(4, 8_192, 0);
  private static final NodeId FIRST = new NodeId("worker", 0);
  private static final NodeId SECOND = new NodeId("worker", 1);
  private static final NodeId SIXTH = new NodeId("worker", 6);
  private static final Input COUNT = Input.count(InputName.NODES, 2);

  private static Choice choice(Subject subject, Rule rule, Plan plan, Input... inputs) {
    return new Choice(subject, rule, List.of(inputs), Alternatives.nonePossible(), plan);
  }

  private static Choice job(Rule rule, Plan plan, Input... inputs) {
    return choice(new Subject.OfJob(), rule, plan, inputs);
  }

  private static Choice node(Rule rule, Plan plan, Input... inputs) {
    return choice(new Subject.OfNode(SIXTH), rule, plan, inputs);
  }

  private static Input reason(ExitReason reason) {
    return Input.name(InputName.EXIT_REASON, reason);
  }

  private static Input said(String text) {
    return Input.text(InputName.MESSAGE, text);
  }

  private static Arguments row(Choice choice, String want) {
    return Arguments.of(choice, want);
  }

  private static Plan again(long delay, int restart, int restarts) {
    return new Plan.ReplaceNode(SIXTH, null, SMALL, delay, restart, restarts);
  }

  static Stream<Arguments> sentences() {
    Plan fails = new Plan.EndJob(JobPhase.FAILED);
    return Stream.of(
        row(
            job(
                Rule.PLAN_CHANGED,
                new Plan.ChangeJob(),
                new Input(InputName.PLAN_FIELDS_CHANGED, Value.Names.of(List.of("workers"))),
                Input.name(InputName.ROLE, "worker"),
                Input.count(InputName.REQUESTED_BEFORE, 2),
                Input.count(InputName.REQUESTED, 3)),
            "Workers changed from 2 to 3."),
        row(
            job(
                Rule.PLAN_CHANGED,
                new Plan.ChangeJob(),
                new Input(
                    InputName.PLAN_FIELDS_CHANGED, Value.Names.of(List.of("command", "limits")))),
            "The job's plan changed: command, limits."),
        row(
            choice(
                new Subject.OfRole("worker"), Rule.GROW, new Plan.AddNodes(FIRST, 2, SMALL), COUNT),
            "2 workers are to start: worker-0 to worker-1."),
        row(
            choice(
                new Subject.OfRole("worker"),
                Rule.SHRINK,
                Plan.ReleaseNodes.of(List.of(SECOND)),
                COUNT),
            "1 node is to end: worker-1."),
        row(
            node(Rule.GONE_FROM_OUTSIDE, again(0, 0, 0), reason(ExitReason.KILLED), said("")),
            "worker-6 was killed. It is replaced. No restart used."),
        row(
            node(Rule.GONE_FROM_OUTSIDE, again(2_000, 0, 0), reason(ExitReason.NO_HEARTBEAT)),
            "worker-6 sent no heartbeat and counts as lost. It is replaced in 2 s. No restart used."),
        row(
            node(
                Rule.FAILED,
                again(0, 1, 3),
                reason(ExitReason.FATAL_ERROR),
                said("DatasetExists: 'train' exists.\n  more")),
            "worker-6 failed: DatasetExists: 'train' exists. It is replaced. Restart 1 of 3."),
        row(
            node(
                Rule.RESTARTS_USED_UP,
                fails,
                reason(ExitReason.FATAL_ERROR),
                said(""),
                Input.count(InputName.RESTARTS_ALLOWED, 3)),
            "worker-6 failed. All 3 restarts are used. The job fails."),
        row(
            node(
                Rule.OUT_OF_MEMORY,
                again(0, 0, 0),
                reason(ExitReason.OOM),
                Input.mib(InputName.MEMORY, 4_096)),
            "worker-6 ran out of memory with 4,096 MiB of memory. It is replaced with 8,192 MiB of memory. No restart used."),
        row(
            choice(
                new Subject.OfNode(SIXTH),
                Rule.REPLACEMENT_DUE,
                new Plan.StartReplacement(SECOND, SIXTH, SMALL),
                COUNT),
            "worker-6 replaces worker-1."),
        row(
            choice(
                new Subject.OfWorld(2),
                Rule.WORLD_FORMED,
                Plan.FormWorld.of(2, List.of(new WorkerId("worker-1"), new WorkerId("worker-0"))),
                COUNT),
            "2 workers are training: worker-1 (rank 0), worker-0."),
        row(
            job(
                Rule.CHECKPOINT_RESTORED,
                new Plan.RestoreLedgers(0, 1),
                Input.count(InputName.CHECKPOINT, 0)),
            "Warning: restarted from step 0; no usable checkpoint found."),
        row(
            choice(
                new Subject.OfWorker(new WorkerId("worker-1")),
                Rule.WORKER_GONE,
                new Plan.RequeueShards(3),
                reason(ExitReason.KILLED)),
            "worker-1 was killed. 3 shards go back to be leased again."),
        row(
            choice(
                new Subject.OfDataset(new DatasetName("train")),
                Rule.RETRIES_USED_UP,
                new Plan.FailDataset(new DatasetName("train")),
                Input.count(InputName.SHARD, 7),
                Input.name(InputName.WORKER, "worker-1"),
                Input.text(InputName.CAUSE, "it crashed")),
            "Shard 7 of dataset 'train' has no retries left, last on worker-1: it crashed. The dataset fails."),
        row(
            node(
                Rule.PENDING_TOO_LONG,
                new Plan.KeepWaiting(),
                Input.duration(InputName.WAITED, 900_000),
                said("ImagePullBackOff")),
            "worker-6 has been pending for 15 min: ImagePullBackOff. Pliant keeps waiting."),
        row(
            job(
                Rule.REQUEST_ACCEPTED,
                new Plan.ChangeNothing(),
                Input.text(InputName.REQUESTED_BY, "ScalePlan more")),
            "Request of ScalePlan more: no change needed."));
  }

  @ParameterizedTest
  @MethodSource("sentences")
  void aDecisionInPlainWords(Choice choice, String want) {
    assertThat(DecisionText.PLAIN.of(choice)).isEqualTo(want);
  }

  @Test
  void aRefusalSaysWhy() {
    Choice refused =
        new Choice(
            new Subject.OfJob(),
            Rule.REQUEST_REFUSED,
            List.of(Input.text(InputName.REQUESTED_BY, "ScalePlan more")),
            Alternatives.rejected(
                new Rejection(Alternative.CARRY_OUT_REQUEST, Objection.ROLE_BOUNDS),
                new Rejection(Alternative.CARRY_OUT_IN_PART, Objection.ALL_OR_NOTHING)),
            new Plan.ChangeNothing());

    assertThat(DecisionText.PLAIN.of(refused))
        .isEqualTo(
            "Request of ScalePlan more refused: the count is outside minReplicas and maxReplicas.");
  }

  @Test
  void aClusterNamesNodesByTheirPods() {
    Choice due =
        choice(
            new Subject.OfNode(SIXTH),
            Rule.REPLACEMENT_DUE,
            new Plan.StartReplacement(SECOND, SIXTH, SMALL),
            COUNT);

    assertThat(DecisionText.naming(node -> "digits-" + node).of(due))
        .isEqualTo("digits-worker-6 replaces digits-worker-1.");
  }

  @Test
  void aPredictionIsShown() {
    Choice faster =
        new Choice(
            new Subject.OfRole("worker"),
            Rule.GROW,
            List.of(COUNT),
            Alternatives.nonePossible(),
            new Plan.AddNodes(FIRST, 1, NodeResources.UNBOUNDED),
            new Prediction(1_200));

    assertThat(DecisionText.PLAIN.of(faster))
        .isEqualTo("worker-0 is to start. Expected speed: 1,200 records/s.");
  }

  /// What a decision lacks must not keep a whole history from being shown.
  @ParameterizedTest
  @MethodSource("rules")
  void everyRuleHasASentence(Rule rule) {
    Choice bare =
        choice(new Subject.OfNode(SIXTH), rule, new Plan.KeepWaiting(), reason(ExitReason.KILLED));

    assertThat(DecisionText.PLAIN.of(bare)).endsWith(".").hasSizeGreaterThan(10);
  }

  static Stream<Rule> rules() {
    return Stream.of(Rule.values());
  }
}

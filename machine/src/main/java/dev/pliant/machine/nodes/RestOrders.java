package dev.pliant.machine.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import dev.pliant.model.decision.Value;
import java.util.ArrayList;
import java.util.List;

/// Decides what comes of the wish that a job rests, and of its end. Changes nothing.
///
/// | the job | is to rest | is to run |
/// |---|---|---|
/// | runs, or is about to | it rests: every node is told to go | where it rested unseen, nodes of before that are gone went for that |
/// | rests | it rests on | it goes on: each line has another node |
/// | finishes, stops, is over | it comes to its end | it comes to its end |
///
/// A rest is no failure: it uses up no restart, counts as no end from outside, and a line goes on
/// after it as large as it was and with what it had used up.
public final class RestOrders {
  private RestOrders() {}

  /// A platform says whether the job is to rest; however often.
  public static List<NodeDecision> rest(NodeTable table, Rest rest) {
    JobOrders.checkDefined(table);
    if (!table.phase().goesOn() || table.finishingMillis() != 0) {
      return List.of();
    }
    boolean rests = table.phase() == JobPhase.SUSPENDED;
    if (rest.now()) {
      return rests ? List.of() : begin(table);
    }
    return rests ? end(table) : missed(table, rest.untilMillis());
  }

  private static List<NodeDecision> begin(NodeTable table) {
    return NodeDecision.of(
        new NodeEvent.JobRested("it is suspended"),
        choice(
            table,
            Rule.SUSPENDED,
            List.of(),
            Alternatives.rejected(Alternative.STOP_JOB, Objection.JOB_CAN_RESUME),
            new Plan.Suspend()));
  }

  private static List<NodeDecision> end(NodeTable table) {
    return NodeDecision.of(
        new NodeEvent.JobResumed(),
        choice(
            table,
            Rule.RESUMED,
            List.of(Input.count(InputName.PLACES_KEPT, table.relaunches().size())),
            Alternatives.rejected(Alternative.USE_RESTART, Objection.WERE_TOLD_TO_END),
            new Plan.Resume()));
  }

  /// Only of nodes that are gone is it ever asked whether they went for this rest. So it does no
  /// harm where clocks differ and a node that is well seems to be older.
  private static List<NodeDecision> missed(NodeTable table, long untilMillis) {
    List<NodeId> older =
        table.nodes().stream()
            .filter(node -> node.staying() && node.createdMillis() < untilMillis)
            .map(Node::id)
            .toList();
    if (untilMillis <= table.restedUntilMillis() || older.isEmpty()) {
      return List.of();
    }
    return NodeDecision.of(
        new NodeEvent.RestMissed(untilMillis),
        choice(
            table,
            Rule.SUSPENDED_WITHOUT_MASTER,
            List.of(
                Input.time(InputName.SUSPENDED_UNTIL, untilMillis),
                new Input(InputName.NODES_BEFORE, Value.Names.of(older))),
            Alternatives.rejected(Alternative.COUNT_AS_FAILURES, Objection.WERE_TOLD_TO_END),
            new Plan.Resume()));
  }

  private static Choice choice(
      NodeTable table, Rule rule, List<Input> inputs, Alternatives alternatives, Plan plan) {
    List<Input> all = new ArrayList<>();
    all.add(Input.name(InputName.PHASE, table.phase()));
    all.addAll(inputs);
    return new Choice(new Subject.OfJob(), rule, all, alternatives, plan);
  }
}

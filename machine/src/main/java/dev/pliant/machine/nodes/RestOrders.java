package dev.pliant.machine.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.JobPhase;
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
  public static Ruling rest(NodeTable table, Rest rest) {
    JobOrders.checkDefined(table);
    if (!table.phase().goesOn() || table.finishingMillis() != 0) {
      return Ruling.NOTHING;
    }
    boolean rests = table.phase() == JobPhase.SUSPENDED;
    if (rest.now()) {
      return rests ? Ruling.NOTHING : begin(table);
    }
    return rests ? end(table) : missed(table, rest.untilMillis());
  }

  private static Ruling begin(NodeTable table) {
    return Ruling.of(
        new NodeEvent.JobRested("it is suspended"),
        decision(
            table,
            "suspended",
            List.of(),
            List.of(new Rejected("stop the job", "it is to go on later, from where it is")),
            "every node is told to go, and others take their places when the job goes on"));
  }

  private static Ruling end(NodeTable table) {
    return Ruling.of(
        new NodeEvent.JobResumed(),
        decision(
            table,
            "resumed",
            List.of(new Input("places that are kept", Integer.toString(table.relaunches().size()))),
            List.of(new Rejected("use up restarts", "its nodes went because they were told to")),
            "the job goes on, with new nodes"));
  }

  /// Only of nodes that are gone is it ever asked whether they went for this rest. So it does no
  /// harm where clocks differ and a node that is well seems to be older.
  private static Ruling missed(NodeTable table, long untilMillis) {
    List<String> older =
        table.nodes().stream()
            .filter(node -> node.staying() && node.createdMillis() < untilMillis)
            .map(node -> node.id().toString())
            .toList();
    if (untilMillis <= table.restedUntilMillis() || older.isEmpty()) {
      return Ruling.NOTHING;
    }
    return Ruling.of(
        new NodeEvent.RestMissed(untilMillis),
        decision(
            table,
            "rest-missed",
            List.of(
                new Input("rested until, ms", Long.toString(untilMillis)),
                new Input("nodes of before", older.toString())),
            List.of(new Rejected("count their ends", "they were told to go for the rest")),
            "those of them that are gone have others take their places"));
  }

  private static Decision decision(
      NodeTable table, String rule, List<Input> inputs, List<Rejected> rejected, String plan) {
    List<Input> all = new ArrayList<>();
    all.add(new Input("phase", table.phase().name()));
    all.addAll(inputs);
    return new Decision("job " + table.plan().job(), rule, all, rejected, plan);
  }
}

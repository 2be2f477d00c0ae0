package dev.pliant.machine.rendezvous;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// The rendezvous' decisions with their reasons: what history shows for a world that was formed,
/// members that were left out, a job that was given up.
public final class RendezvousDecisions {
  private static final int NAMED = 16;

  private RendezvousDecisions() {}

  static Decision formed(
      RendezvousState state,
      long version,
      List<WorkerId> members,
      int holders,
      List<WorkerId> waiting,
      String why) {
    List<Input> inputs = new ArrayList<>(rules(state));
    inputs.add(new Input("came", Integer.toString(members.size() + waiting.size())));
    inputs.add(new Input("hold state", Integer.toString(holders)));
    inputs.add(new Input("members", names(members)));
    inputs.add(new Input("wait", names(waiting)));
    inputs.add(new Input("why now", why));
    List<Rejected> rejected = new ArrayList<>();
    if (!waiting.isEmpty()) {
      rejected.add(
          new Rejected(
              "take all of them",
              "a world has at most %d, in units of %d"
                  .formatted(state.rules().max(), state.rules().unit())));
    }
    if (members.size() < state.rules().largest()) {
      rejected.add(new Rejected("wait for more", why));
    }
    return new Decision(
        "world " + version,
        "world-formed",
        inputs,
        rejected,
        "world %d trains with %d members, rank 0 is %s; %d wait"
            .formatted(version, members.size(), members.getFirst(), waiting.size()));
  }

  static Decision leftOut(RendezvousState state, List<WorkerId> members, String why) {
    List<Input> inputs = new ArrayList<>(rules(state));
    inputs.add(new Input("left out", names(members)));
    inputs.add(new Input("came", Integer.toString(state.waiting())));
    inputs.add(new Input("cause", why));
    return new Decision(
        "world " + state.version(),
        "left-out",
        inputs,
        List.of(new Rejected("wait longer", "those who came would stand still with them")),
        "the next world is without %d members; each may join again as a new one"
            .formatted(members.size()));
  }

  static Decision gaveUp(RendezvousState state, String why) {
    List<Input> inputs = new ArrayList<>(rules(state));
    inputs.add(new Input("wait", names(state.waitingWorkers())));
    return new Decision(
        "world " + state.version(),
        "too-few",
        inputs,
        List.of(
            new Rejected("train with fewer", "the job's limits do not allow it"),
            new Rejected("wait on", why)),
        "the rendezvous is closed: " + why);
  }

  static Decision stalled(RendezvousState state, String why) {
    List<Input> inputs = new ArrayList<>(rules(state));
    inputs.add(new Input("nothing recorded for", Rendezvous.said(Rendezvous.STALLED_AFTER)));
    Stall stall = state.stall();
    int worlds = stall == null ? 0 : stall.earlierWorlds() + 1;
    inputs.add(new Input("worlds in a row", Integer.toString(worlds)));
    return new Decision(
        "world " + state.version(),
        "progress-not-recorded",
        inputs,
        List.of(
            new Rejected("form another world", "the one before was formed for the same reason"),
            new Rejected("train on", "none of the work would count")),
        "the rendezvous is closed: " + why);
  }

  /// Why a training counts as complete.
  public static Decision completed(RendezvousState state, WorkerId worker) {
    return new Decision(
        "world " + state.version(),
        "training-complete",
        List.of(
            new Input("worker", worker.value()),
            new Input("still train", Integer.toString(Math.max(0, state.training() - 1))),
            new Input("wait", Integer.toString(state.waiting()))),
        List.of(
            new Rejected("form another world", "it would do again what is done"),
            new Rejected("end those that still train", "they are about to end themselves")),
        "the rendezvous is closed: worker %s has finished the training".formatted(worker));
  }

  private static List<Input> rules(RendezvousState state) {
    RendezvousRules rules = state.rules();
    return List.of(
        new Input("min", Integer.toString(rules.min())),
        new Input("max", Integer.toString(rules.max())),
        new Input("unit", Integer.toString(rules.unit())),
        new Input("wished", rules.wished() == 0 ? "not said" : Integer.toString(rules.wished())));
  }

  private static String names(List<WorkerId> workers) {
    if (workers.isEmpty()) {
      return "nobody";
    }
    String first =
        workers.stream().limit(NAMED).map(WorkerId::value).collect(Collectors.joining(", "));
    return workers.size() <= NAMED
        ? first
        : "%s and %,d more".formatted(first, workers.size() - NAMED);
  }
}

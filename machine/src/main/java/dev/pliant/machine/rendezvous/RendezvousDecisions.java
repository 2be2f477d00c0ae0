package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.RendezvousImage.Clocks;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Alternatives.Rejection;
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

/// The rendezvous' decisions with their reasons: what history shows for a world that was formed,
/// members that were left out, a job that was given up.
public final class RendezvousDecisions {
  private RendezvousDecisions() {}

  static Choice formed(
      RendezvousState state,
      long version,
      List<WorkerId> members,
      int holders,
      List<WorkerId> waiting,
      Next.Trigger trigger) {
    List<Input> inputs = rules(state);
    inputs.add(Input.count(InputName.MEMBERS_ARRIVED, members.size() + waiting.size()));
    inputs.add(Input.count(InputName.MEMBERS_WITH_STATE, holders));
    inputs.add(new Input(InputName.MEMBERS_WAITING, Value.Names.of(waiting)));
    inputs.add(Input.name(InputName.TRIGGER, trigger));
    List<Rejection> rejected = new ArrayList<>();
    if (!waiting.isEmpty()) {
      rejected.add(new Rejection(Alternative.FORM_LARGER_WORLD, Objection.WORLD_SIZE_LIMIT));
    }
    if (members.size() < state.rules().largest()) {
      rejected.add(new Rejection(Alternative.WAIT_FOR_MORE_MEMBERS, objection(trigger)));
    }
    return new Choice(
        new Subject.OfWorld(version),
        Rule.WORLD_FORMED,
        inputs,
        rejected.isEmpty() ? Alternatives.nonePossible() : new Alternatives.Rejected(rejected),
        Plan.FormWorld.of(version, members));
  }

  private static Objection objection(Next.Trigger trigger) {
    return switch (trigger) {
      case SURVIVORS_ARRIVED -> Objection.SURVIVORS_HAVE_ARRIVED;
      case ALL_REQUESTED_ARRIVED -> Objection.ALL_REQUESTED_HAVE_ARRIVED;
      case LAST_CALL_OVER -> Objection.LAST_CALL_OVER;
    };
  }

  static Choice leftOut(RendezvousState state, List<WorkerId> members) {
    RendezvousRules rules = state.rules();
    boolean someCame = state.clocks().firstOut() != Clocks.OFF;
    List<Input> inputs = rules(state);
    inputs.add(Input.count(InputName.MEMBERS_ARRIVED, state.waiting()));
    inputs.add(
        Input.duration(
            InputName.LONGEST_WAIT,
            (someCame ? rules.leaveOutAfter() : rules.belowMinFor()).toMillis()));
    return new Choice(
        new Subject.OfWorld(state.version()),
        Rule.LEFT_OUT,
        inputs,
        Alternatives.rejected(
            Alternative.WAIT_LONGER,
            someCame ? Objection.OTHERS_WOULD_WAIT : Objection.LONGEST_WAIT_OVER),
        Plan.LeaveOut.of(members));
  }

  static Choice gaveUp(RendezvousState state) {
    List<Input> inputs = rules(state);
    inputs.add(new Input(InputName.MEMBERS_WAITING, Value.Names.of(state.waitingWorkers())));
    inputs.add(Input.duration(InputName.LONGEST_WAIT, state.rules().belowMinFor().toMillis()));
    return new Choice(
        new Subject.OfWorld(state.version()),
        Rule.TOO_FEW,
        inputs,
        Alternatives.rejected(
            new Rejection(Alternative.FORM_SMALLER_WORLD, Objection.WORLD_SIZE_LIMIT),
            new Rejection(Alternative.WAIT_LONGER, Objection.LONGEST_WAIT_OVER)),
        new Plan.CloseRendezvous(false));
  }

  static Choice stalled(RendezvousState state) {
    List<Input> inputs = rules(state);
    Stall stall = state.stall();
    int worlds = stall == null ? 0 : stall.earlierWorlds() + 1;
    inputs.add(Input.duration(InputName.LONGEST_WAIT, Rendezvous.STALLED_AFTER.toMillis()));
    inputs.add(Input.count(InputName.WORLDS_IN_A_ROW, worlds));
    return new Choice(
        new Subject.OfWorld(state.version()),
        Rule.PROGRESS_NOT_RECORDED,
        inputs,
        Alternatives.rejected(
            new Rejection(Alternative.FORM_ANOTHER_WORLD, Objection.SAME_CAUSE_AS_BEFORE),
            new Rejection(Alternative.KEEP_TRAINING, Objection.NOTHING_WOULD_BE_RECORDED)),
        new Plan.CloseRendezvous(false));
  }

  /// Why a training counts as complete.
  public static Choice completed(RendezvousState state, WorkerId worker) {
    return new Choice(
        new Subject.OfWorld(state.version()),
        Rule.TRAINING_COMPLETE,
        List.of(
            Input.name(InputName.WORKER, worker.value()),
            Input.count(InputName.MEMBERS_TRAINING, Math.max(0, state.training() - 1)),
            new Input(InputName.MEMBERS_WAITING, Value.Names.of(state.waitingWorkers()))),
        Alternatives.rejected(
            new Rejection(Alternative.FORM_ANOTHER_WORLD, Objection.WORK_IS_DONE),
            new Rejection(Alternative.STOP_MEMBERS, Objection.THEY_END_BY_THEMSELVES)),
        new Plan.CloseRendezvous(true));
  }

  private static List<Input> rules(RendezvousState state) {
    RendezvousRules rules = state.rules();
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.count(InputName.LEAST_MEMBERS, rules.min()));
    inputs.add(Input.count(InputName.MOST_MEMBERS, rules.max()));
    inputs.add(Input.count(InputName.MEMBERS_PER_NODE, rules.unit()));
    if (rules.wished() > 0) {
      inputs.add(Input.count(InputName.MEMBERS_REQUESTED, rules.wished()));
    }
    return inputs;
  }
}

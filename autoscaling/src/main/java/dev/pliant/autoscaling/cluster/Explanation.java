package dev.pliant.autoscaling.cluster;

import dev.pliant.autoscaling.cluster.JobAllocation.State;
import dev.pliant.model.JobId;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.util.ArrayList;
import java.util.List;

/// Says of each job why it has its size.
final class Explanation {
  private static final String TRAINER = "trainer";
  private static final String SERVER = "pserver";

  private final List<Input> cluster;
  private final boolean minimaArePending;

  Explanation(Load load, FulfilmentSettings settings, int nodes, boolean minimaArePending) {
    this.minimaArePending = minimaArePending;
    cluster =
        List.of(
            Input.count(InputName.NODES_OF_CLUSTER, nodes),
            Input.count(InputName.FREE_GPUS, load.freeGpus()),
            Input.amount(InputName.CPU_LOAD, load.cpuShare()),
            Input.amount(InputName.MEMORY_LOAD, load.memoryShare()),
            Input.amount(InputName.LOAD_CEILING, settings.loadCeiling()));
  }

  JobAllocation of(JobShare share) {
    int before = share.job.trainers();
    boolean keeps = share.state == State.INVALID || share.state == State.FITS_NO_NODE;
    int trainers = keeps ? before : share.trainers.count();
    int serversBefore = share.job.servers() == null ? 0 : share.job.servers().now();
    int servers = keeps ? serversBefore : share.servers.count();
    boolean changed = trainers != before || servers != serversBefore;
    State state = share.state == State.KEPT && changed ? State.CHANGED : share.state;
    Choice choice =
        new Choice(
            new Subject.OfObject("job", share.job.id().toString()),
            rule(share, trainers),
            inputs(share),
            alternatives(share, trainers),
            plan(before, trainers, serversBefore, servers));
    return new JobAllocation(share.job.id(), trainers, servers, state, choice);
  }

  private static Rule rule(JobShare share, int trainers) {
    return switch (share.state) {
      case INVALID -> Rule.INVALID_JOB;
      case FITS_NO_NODE -> Rule.FITS_NO_NODE;
      case WAITS -> Rule.WAITS_FOR_ROOM;
      case OPTIMISTIC -> Rule.STARTS_WITHOUT_ROOM;
      case KEPT, CHANGED -> ruleOfChange(share, trainers);
    };
  }

  private static Rule ruleOfChange(JobShare share, int trainers) {
    int before = share.job.trainers();
    if (trainers == before) {
      return Rule.SIZE_KEPT;
    }
    if (trainers > before) {
      return trainers == share.job.min() ? Rule.RAISED_TO_MINIMUM : Rule.GIVEN_AS_LEAST_FULFILLED;
    }
    if (share.cameDown) {
      return Rule.LOWERED_TO_MINIMUM;
    }
    return trainers == share.job.max() ? Rule.LOWERED_TO_MAXIMUM : Rule.TAKEN_AS_MOST_FULFILLED;
  }

  private List<Input> inputs(JobShare share) {
    List<Input> inputs = new ArrayList<>();
    PodAmounts each = share.trainers.each;
    inputs.add(Input.count(InputName.TRAINERS, share.job.trainers()));
    inputs.add(Input.count(InputName.LEAST, share.job.min()));
    inputs.add(Input.count(InputName.MOST, share.job.max()));
    inputs.add(Input.count(InputName.TRAINERS_PLACED, share.trainers.placed()));
    if (share.state != State.INVALID) {
      inputs.add(
          Input.amount(
              InputName.FULFILMENT,
              ClusterJob.fulfilment(share.job.trainers(), share.job.min(), share.job.max())));
    }
    inputs.add(Input.count(InputName.GPUS_PER_TRAINER, each.gpus()));
    inputs.add(Input.amount(InputName.CPU_PER_TRAINER, each.cpu()));
    inputs.add(Input.mib(InputName.MEMORY_PER_TRAINER, Math.round(each.memoryMib())));
    JobId takenFor = share.takenFor;
    if (takenFor != null) {
      inputs.add(Input.name(InputName.TAKEN_FOR, takenFor.toString()));
    }
    inputs.addAll(cluster);
    return inputs;
  }

  private Alternatives alternatives(JobShare share, int trainers) {
    return switch (share.state) {
      case INVALID -> Alternatives.nonePossible();
      case FITS_NO_NODE ->
          Alternatives.rejected(Alternative.START_NOW, Objection.FITS_NO_EMPTY_NODE);
      case WAITS ->
          Alternatives.rejected(Alternative.TAKE_FROM_OTHERS, Objection.ALL_ARE_AT_MINIMUM);
      case OPTIMISTIC ->
          Alternatives.rejected(
              new Alternatives.Rejection(
                  Alternative.TAKE_FROM_OTHERS, Objection.ALL_ARE_AT_MINIMUM),
              new Alternatives.Rejection(Alternative.WAIT_FOR_ROOM, Objection.REQUESTS_MAY_FIT));
      case KEPT, CHANGED -> alternativesOfChange(share, trainers);
    };
  }

  private Alternatives alternativesOfChange(JobShare share, int trainers) {
    int before = share.job.trainers();
    if (trainers < before) {
      return Alternatives.rejected(Alternative.KEEP_SIZE, against(share, trainers));
    }
    if (!share.job.isElastic()) {
      return Alternatives.rejected(Alternative.GIVE_MORE, Objection.NOT_ELASTIC);
    }
    if (trainers >= share.job.max()) {
      return Alternatives.rejected(Alternative.GIVE_MORE, Objection.ROLE_BOUNDS);
    }
    if (!share.eligible) {
      return Alternatives.rejected(Alternative.GIVE_MORE, Objection.PODS_DO_NOT_ALL_RUN);
    }
    return Alternatives.rejected(
        Alternative.GIVE_MORE,
        minimaArePending ? Objection.ANOTHER_JOB_BELOW_MINIMUM : Objection.NO_FREE_ROOM);
  }

  private static Objection against(JobShare share, int trainers) {
    if (share.cameDown) {
      return Objection.MINIMUM_HAS_NO_ROOM;
    }
    if (trainers == share.job.max()) {
      return Objection.ROLE_BOUNDS;
    }
    return share.takenFor == null
        ? Objection.LOAD_ABOVE_CEILING
        : Objection.ANOTHER_JOB_BELOW_MINIMUM;
  }

  private static Plan plan(int before, int trainers, int serversBefore, int servers) {
    Plan change = new Plan.SetCount(TRAINER, before, trainers);
    Plan servants = new Plan.SetCount(SERVER, serversBefore, servers);
    if (trainers != before && servers != serversBefore) {
      return new Plan.Several(List.of(change, servants));
    }
    return trainers != before
        ? change
        : servers != serversBefore ? servants : new Plan.ChangeNothing();
  }
}

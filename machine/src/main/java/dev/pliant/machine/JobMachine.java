package dev.pliant.machine;

import dev.pliant.machine.JobState.Dataset;
import dev.pliant.machine.JobState.Worker;
import dev.pliant.machine.nodes.JobOrders;
import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.nodes.NodeDecision;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.NodeObserver;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.RestOrders;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.nodes.WishOrders;
import dev.pliant.machine.nodes.WorkerManager;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.Rendezvous;
import dev.pliant.machine.rendezvous.Rendezvous.Settled;
import dev.pliant.machine.rendezvous.RendezvousDecisions;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.DataShardManager.Grant;
import dev.pliant.machine.shards.DataShardManager.Judgement;
import dev.pliant.machine.shards.DataShardManager.LeaseState;
import dev.pliant.machine.shards.DataShardManager.Recovery;
import dev.pliant.machine.shards.DataShardManager.Requeue;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.machine.shards.StepLedger.Verdict;
import dev.pliant.machine.shards.StreamRange;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A job's state machine. [#step] is its one entry: it decides commands, applies their events to
/// the state and follows the consequences until nothing follows. The result depends on the
/// arguments alone, so a journal that holds the commands and the time can be decided again:
/// [#decideAgain] and [#followAgain] are the two halves of a step. Everything else here decides and
/// changes nothing; a command that is refused throws a [PliantException] and leaves no event.
public final class JobMachine {
  private static final int FEW_CONSEQUENCES = 1_000;
  private static final int CONSEQUENCES_EACH = 4;

  private JobMachine() {}

  /// The events of one command, to be recorded and applied in this order, and its answer.
  public record Decided(List<Event> events, Answer answer) {}

  /// Decides requests in order, each of them a list of commands, then follows the consequences. A
  /// command that is refused ends its own request only. The state is advanced in place: nobody may
  /// see an answer before the events of the step are on disk.
  public static Step step(JobState state, List<List<Command>> requests, long nowMillis) {
    List<Step.Outcome> outcomes = decide(state, requests, nowMillis, null);
    List<Event> followed = follow(state, nowMillis);
    return new Step(outcomes, followed, state.outlook());
  }

  /// The same while nothing can be recorded: a command that would change something is refused with
  /// `why`, and no consequences are followed.
  public static Step stepWithoutChange(
      JobState state, List<List<Command>> requests, long nowMillis, PliantException why) {
    List<Step.Outcome> outcomes = decide(state, requests, nowMillis, why);
    return new Step(outcomes, List.of(), state.outlook());
  }

  /// Decides a command of a recorded step again and applies its events; nothing follows yet.
  public static Step.Outcome decideAgain(JobState state, Command command, long nowMillis) {
    return decide(state, List.of(List.of(command)), nowMillis, null).getFirst();
  }

  /// Follows the consequences of a recorded step again and applies them.
  public static List<Event> followAgain(JobState state, long nowMillis) {
    return follow(state, nowMillis);
  }

  private static List<Step.Outcome> decide(
      JobState state,
      List<List<Command>> requests,
      long nowMillis,
      @Nullable PliantException noChanges) {
    List<Step.Outcome> outcomes = new ArrayList<>(requests.size());
    for (List<Command> commands : requests) {
      List<Decided> decided = new ArrayList<>(commands.size());
      PliantException refusal = null;
      try {
        for (Command command : commands) {
          Decided next = decide(state, command, nowMillis);
          if (noChanges != null && !next.events().isEmpty()) {
            refusal = noChanges;
            break;
          }
          next.events().forEach(event -> state.apply(event, nowMillis));
          decided.add(next);
        }
      } catch (PliantException refused) {
        refusal = refused;
      }
      outcomes.add(new Step.Outcome(commands, decided, refusal));
    }
    return outcomes;
  }

  private static List<Event> follow(JobState state, long nowMillis) {
    List<Event> followed = new ArrayList<>();
    int most = mostConsequences(state);
    for (int round = 0; round < most; round++) {
      List<Event> next = consequences(state, nowMillis);
      if (next.isEmpty()) {
        state.settle(nowMillis);
        return followed;
      }
      next.forEach(event -> state.apply(event, nowMillis));
      followed.addAll(next);
    }
    throw new IllegalStateException(
        "the consequences of job %s have no end".formatted(state.job()));
  }

  static Decided decide(JobState state, Command command, long nowMillis) {
    return switch (command) {
      case Command.StartMaster(long epoch) -> done(new Event.MasterStarted(epoch));
      case Command.CreateDataset(DatasetSpec spec) -> create(state, spec);
      case Command.GetDataset(DatasetName name) ->
          answer(JobViews.progress(state.dataset(number(state, name))));
      case Command.GetJob _ -> answer(JobViews.job(state));
      case Command.Open open -> open(state, open, nowMillis);
      case Command.Report report -> report(state, report, nowMillis);
      case Command.Lease lease -> lease(state, lease);
      case Command.GrowStream grow -> grow(state, grow);
      case Command.CommitStep commit -> commit(state, commit, nowMillis);
      case Command.TakeCheckpoint _ -> Checkpoints.take(state);
      case Command.RestoreKept(long number, long requestId) ->
          Checkpoints.restoreKept(state, number, requestId, nowMillis);
      case Command.RestoreGiven given -> Checkpoints.restoreGiven(state, given, nowMillis);
      case Command.EndWorker end -> endWorker(state, end, nowMillis);
      case Command.SetRules(RendezvousRules rules) ->
          new Decided(met(Rendezvous.setRules(state.rendezvous(), rules)), new Answer.Done());
      case Command.OpenMeeting(NodeId node, List<Standing> members) ->
          met(state, Rendezvous.open(state.rendezvous(), node, members));
      case Command.Arrive(NodeId node, List<Standing> members) ->
          met(state, Rendezvous.arrive(state.rendezvous(), node, members));
      case Command.Leave leave -> leave(state, leave, nowMillis);
      case Command.Drain(MemberId member) ->
          met(state, Rendezvous.drain(state.rendezvous(), member));
      case Command.DefineJob(JobPlan plan) -> NodeCommands.define(state, plan, nowMillis);
      case Command.ScaleJob(int workers, String who) ->
          NodeCommands.scale(state, workers, who, nowMillis);
      case Command.TakeWish(Wish wish) -> NodeCommands.take(state, wish, nowMillis);
      case Command.RecallWish(Wish wish) ->
          NodeCommands.done(state, WishOrders.recall(state.nodes(), wish), nowMillis);
      case Command.ReserveNumbers(SortedMap<String, Integer> next) ->
          NodeCommands.reserve(state, next, nowMillis);
      case Command.RestJob(Rest rest) ->
          NodeCommands.done(state, RestOrders.rest(state.nodes(), rest), nowMillis);
      case Command.StopJob(String who) ->
          NodeCommands.done(state, JobOrders.stop(state.nodes(), who), nowMillis);
      case Command.ObserveNode(NodeNews news) ->
          NodeCommands.done(state, NodeObserver.observe(state.nodes(), news), nowMillis);
      case Command.ListNodes(List<NodeNews> nodes) ->
          NodeCommands.done(state, NodeObserver.list(state.nodes(), nodes), nowMillis);
      case Command.CheckWorker check -> checkWorker(state, check, nowMillis);
      case Command.CheckNode check -> NodeCommands.check(state, check, nowMillis);
      case Command.CheckDeadlines _ -> answer(new Answer.Done());
    };
  }

  /// How often consequences may have consequences. Each node and each worker may be the cause of a
  /// few, and all of them at once; more is a defect, not a job.
  private static int mostConsequences(JobState state) {
    int causes =
        state.nodes().nodes().size() + state.nodes().relaunches().size() + state.orphans().size();
    return FEW_CONSEQUENCES + CONSEQUENCES_EACH * causes;
  }

  /// Decides what follows from the state and the time alone; empty where nothing does.
  private static List<Event> consequences(JobState state, long nowMillis) {
    if (!state.orphans().isEmpty()) {
      return endOrphan(state, state.orphans().getFirst(), nowMillis);
    }
    List<Event> late = late(state, nowMillis);
    if (!late.isEmpty()) {
      return late;
    }
    NextEvents events = new NextEvents(state, nowMillis);
    events.decide(met(NodeCommands.rules(state)), null);
    if (events.isEmpty()) {
      Settled settled = Rendezvous.settle(state.rendezvous(), nowMillis);
      events.decide(met(settled.events()), settled.choice());
    }
    if (events.isEmpty()) {
      List<NodeDecision> failed = NodeCommands.failFromOutside(state);
      events.decide(failed.isEmpty() ? WorkerManager.next(state.nodes(), nowMillis) : failed);
    }
    return events.list();
  }

  /// A worker's node has ended, and the worker with it.
  private static List<Event> endOrphan(JobState state, WorkerId worker, long nowMillis) {
    NodeId id = NodeCommands.nodeOf(state, worker);
    Node node = Objects.requireNonNull(state.nodes().node(id));
    ExitReason reason = node.released() ? ExitReason.KILLED : node.reason();
    String message =
        node.message().isBlank() ? "node %s ended: %s".formatted(id, reason) : node.message();
    return endWorker(state, new Command.EndWorker(worker, reason, message), nowMillis).events();
  }

  // Datasets.

  private static Decided create(JobState state, DatasetSpec spec) {
    int number = state.datasetNumber(spec.name());
    if (number < 0) {
      return new Decided(List.of(new Event.DatasetCreated(spec)), new Answer.Created(true));
    }
    String difference = state.dataset(number).spec().differenceTo(spec);
    if (!difference.isEmpty()) {
      throw new PliantException(
          ErrorCode.DATASET_EXISTS,
          "dataset '%s' exists with other parameters (%s); use those, or another name."
              .formatted(spec.name(), difference));
    }
    return answer(new Answer.Created(false));
  }

  private static int number(JobState state, DatasetName name) {
    int number = state.datasetNumber(name);
    if (number < 0) {
      String known =
          state.datasets().stream()
              .map(dataset -> "'" + dataset.spec().name() + "'")
              .limit(8)
              .collect(Collectors.joining(", "));
      throw new PliantException(
          ErrorCode.UNKNOWN_DATASET,
          "there is no dataset '%s' in job %s (%s); create it first."
              .formatted(name, state.job(), known.isEmpty() ? "it has none" : "it has " + known));
    }
    return number;
  }

  private static Decided grow(JobState state, Command.GrowStream command) {
    int number = number(state, command.dataset());
    DataShardManager.checkGrowth(state.shards(number), command.partitions());
    return done(new Event.StreamGrown(number, command.partitions(), command.closed()));
  }

  // Shards.

  private static Decided open(JobState state, Command.Open command, long nowMillis) {
    int number = number(state, command.dataset());
    ShardLedger ledger = state.shards(number);
    Worker worker = state.liveWorker(command.worker());
    if (worker == null) {
      return new Decided(
          List.of(new Event.WorkerJoined(command.worker())), new Answer.Opened(command.held()));
    }
    Set<Long> inHand = new HashSet<>();
    List<Command.Held> revoked = new ArrayList<>();
    for (Command.Held held : command.held()) {
      if (held.number() >= 0 && holds(ledger, worker.number, held)) {
        inHand.add(held.number());
      } else {
        revoked.add(held);
      }
    }
    Recovery recovery =
        DataShardManager.recoverUndelivered(ledger, worker.number, worker.id.value(), inHand);
    NextEvents events = new NextEvents(state, nowMillis);
    requeue(number, recovery.requeues(), events);
    return new Decided(events.list(), new Answer.Opened(revoked));
  }

  private static boolean holds(ShardLedger ledger, int worker, Command.Held held) {
    return ledger.holder(held.number()) == worker && ledger.lease(held.number()) == held.lease();
  }

  private static Decided report(JobState state, Command.Report command, long nowMillis) {
    int dataset = number(state, command.dataset());
    ShardLedger ledger = state.shards(dataset);
    Worker worker = state.liveWorker(command.worker());
    int number = worker == null ? -1 : worker.number;
    Judgement judgement =
        DataShardManager.judge(ledger, number, command.worker().value(), command.reports());
    NextEvents events = new NextEvents(state, nowMillis);
    if (judgement.done().length > 0) {
      events.add(new Event.ShardsDone(dataset, number, judgement.done()));
    }
    requeue(dataset, judgement.requeues(), events);
    fail(dataset, ledger, judgement.failure(), events);
    return new Decided(
        events.list(), new Answer.Reported(judgement.outcomes(), judgement.refusals()));
  }

  private static Decided lease(JobState state, Command.Lease command) {
    int dataset = number(state, command.dataset());
    ShardLedger ledger = state.shards(dataset);
    Worker worker = state.liveWorker(command.worker());
    if (worker != null
        && command.requestId() != 0
        && command.requestId() == worker.requestId
        && dataset == worker.requestDataset) {
      return answer(leasedAgain(ledger, worker));
    }
    Grant grant = DataShardManager.lease(ledger, command.want());
    if (grant.state() != LeaseState.LEASED) {
      return answer(leased(ledger, grant, List.of()));
    }
    List<Event> events = new ArrayList<>(2);
    int number = worker == null ? state.workers().size() : worker.number;
    if (worker == null) {
      events.add(new Event.WorkerJoined(command.worker()));
    }
    events.add(
        new Event.ShardsLeased(
            dataset,
            number,
            grant.again(),
            grant.freshFrom(),
            grant.fresh(),
            grant.ranges(),
            command.requestId()));
    return new Decided(events, leased(ledger, grant, shards(ledger, grant)));
  }

  private static List<Answer.LeasedShard> shards(ShardLedger ledger, Grant grant) {
    List<Answer.LeasedShard> shards = new ArrayList<>(grant.again().length + grant.fresh());
    for (long number : grant.again()) {
      // The lease it will have once the event is applied: handed out one time more.
      StreamRange range = ledger.layout() == null ? ledger.range(number) : null;
      shards.add(new Answer.LeasedShard(number, ledger.lease(number) + 1, place(ledger, range)));
    }
    for (int i = 0; i < grant.fresh(); i++) {
      long number = grant.freshFrom() + i;
      StreamRange range = ledger.layout() == null ? grant.ranges().get(i) : null;
      shards.add(new Answer.LeasedShard(number, ledger.lease(number), place(ledger, range)));
    }
    return shards;
  }

  private static Answer.Leased leasedAgain(ShardLedger ledger, Worker worker) {
    List<Answer.LeasedShard> shards = new ArrayList<>();
    for (long number : worker.requestShards) {
      if (ledger.holder(number) == worker.number) {
        StreamRange range = ledger.layout() == null ? ledger.range(number) : null;
        shards.add(new Answer.LeasedShard(number, ledger.lease(number), place(ledger, range)));
      }
    }
    return new Answer.Leased(
        shards.isEmpty() ? LeaseState.WAIT : LeaseState.LEASED,
        ledger.spec(),
        ledger.layout(),
        shards,
        ledger.failure());
  }

  private static Answer.Leased leased(
      ShardLedger ledger, Grant grant, List<Answer.LeasedShard> shards) {
    return new Answer.Leased(
        grant.state(), ledger.spec(), ledger.layout(), shards, ledger.failure());
  }

  private static Answer.@Nullable StreamPlace place(
      ShardLedger ledger, @Nullable StreamRange range) {
    return range == null
        ? null
        : new Answer.StreamPlace(
            ledger.partitionName(range.partition()), range.start(), range.end());
  }

  // Steps.

  private static Decided commit(JobState state, Command.CommitStep command, long nowMillis) {
    int number = number(state, command.dataset());
    StepLedger ledger = state.steps(number);
    long newest = state.rendezvous().version();
    if (newest != 0 && command.world() > newest) {
      throw new PliantException(
          ErrorCode.OUT_OF_RANGE,
          "there is no world %d of job %s yet; the newest is %d."
              .formatted(command.world(), state.job(), newest));
    }
    Verdict verdict =
        ledger.judge(command.epoch(), command.step(), command.world(), command.through(), newest);
    StepLedger.Image next = ledger.image();
    if (verdict != Verdict.TAKEN) {
      boolean counts = newest != 0 && command.world() == newest;
      return new Decided(
          counts
              ? met(Stalls.refused(state.rendezvous(), verdict, command, next, nowMillis))
              : List.of(),
          new Answer.Committed(verdict, next.epoch(), next.step()));
    }
    boolean last = command.step() + 1 == ledger.spec().partsPerEpoch();
    return new Decided(
        List.of(
            new Event.StepCommitted(
                number,
                command.epoch(),
                command.step(),
                command.world(),
                ledger.stepsThrough(command.epoch(), command.step()),
                command.metrics())),
        new Answer.Committed(
            verdict, last ? command.epoch() + 1 : command.epoch(), last ? 0 : command.step() + 1));
  }

  // Workers.

  private static Decided endWorker(JobState state, Command.EndWorker command, long nowMillis) {
    NextEvents events = new NextEvents(state, nowMillis);
    left(
        state,
        command.worker(),
        Rendezvous.leave(state.rendezvous(), command.worker(), command.reason(), command.message()),
        events);
    Worker worker = state.liveWorker(command.worker());
    if (worker == null) {
      if (state.knows(command.worker())) {
        return new Decided(events.list(), new Answer.WorkerEnded(0));
      }
      throw new PliantException(
          ErrorCode.UNKNOWN_WORKER,
          "job %s never heard of a worker '%s'.".formatted(state.job(), command.worker()));
    }
    ExitReason reason = command.reason();
    String cause =
        command.message().isBlank()
            ? "worker " + worker.id + " ended: " + reason
            : command.message();
    int requeued = 0;
    List<Long> requeues = new ArrayList<>();
    for (Dataset dataset : state.datasets()) {
      if (dataset instanceof Dataset.ByShards(int number, ShardLedger ledger)) {
        Recovery recovery =
            DataShardManager.recover(
                ledger, worker.number, worker.id.value(), reason.usesUpRetries(), cause);
        requeues.addAll(requeue(number, recovery.requeues(), events));
        fail(number, ledger, recovery.failure(), events);
        requeued += recovery.shards();
      }
    }
    events.add(new Event.WorkerEnded(worker.number, reason, command.message()));
    if (requeued > 0) {
      events.decided(requeues, Decisions.workerEnded(worker, reason, command.message(), requeued));
    }
    return new Decided(events.list(), new Answer.WorkerEnded(requeued));
  }

  private static Decided checkWorker(JobState state, Command.CheckWorker command, long nowMillis) {
    Silence silence = command.silence();
    WorkerId worker = command.worker();
    if (!silence.exceeds(command.limits())) {
      return answer(new Answer.SilenceChecked(Silence.Verdict.WAIT));
    }
    if (!state.knows(worker)) {
      return answer(new Answer.SilenceChecked(Silence.Verdict.UNKNOWN));
    }
    String message =
        "no heartbeat from worker %s for %d s"
            .formatted(worker, command.limits().of(silence) / 1_000);
    return new Decided(
        endWorker(state, new Command.EndWorker(worker, ExitReason.NO_HEARTBEAT, message), nowMillis)
            .events(),
        new Answer.SilenceChecked(Silence.Verdict.LOST));
  }

  // The rendezvous.

  /// Whoever waits for a world is a worker of the job, and followed as such.
  private static Decided met(JobState state, Rendezvous.Met met) {
    List<Event> events = new ArrayList<>();
    for (RendezvousEvent event : met.events()) {
      if (event instanceof RendezvousEvent.Arrived arrived
          && state.liveWorker(arrived.member().worker()) == null) {
        events.add(new Event.WorkerJoined(arrived.member().worker()));
      }
      events.add(new Event.Met(event));
    }
    Meeting.Ending ending = met.closed() ? state.rendezvous().meeting().ending() : null;
    return new Decided(events, new Answer.Met(met.excluded(), ending));
  }

  private static Decided leave(JobState state, Command.Leave command, long nowMillis) {
    WorkerId worker = command.member().worker();
    List<RendezvousEvent> rendezvous =
        Rendezvous.leave(state.rendezvous(), command.member(), command.reason(), command.message());
    boolean wasMember = rendezvous.stream().anyMatch(RendezvousEvent.Gone.class::isInstance);
    if (!wasMember || state.liveWorker(worker) == null) {
      NextEvents events = new NextEvents(state, nowMillis);
      left(state, worker, rendezvous, events);
      return new Decided(events.list(), new Answer.WorkerEnded(0));
    }
    return endWorker(
        state, new Command.EndWorker(worker, command.reason(), command.message()), nowMillis);
  }

  /// A member left. One that has finished closes the rendezvous, which is a decision.
  private static void left(
      JobState state, WorkerId worker, List<RendezvousEvent> rendezvous, NextEvents events) {
    for (RendezvousEvent event : rendezvous) {
      boolean closed = event instanceof RendezvousEvent.Closed;
      events.decide(
          List.of(new Event.Met(event)),
          closed ? RendezvousDecisions.completed(state.rendezvous(), worker) : null);
    }
  }

  private static List<Event> met(List<RendezvousEvent> events) {
    return events.stream().<Event>map(Event.Met::new).toList();
  }

  /// Takes back shards that are out for too long.
  private static List<Event> late(JobState state, long nowMillis) {
    if (nowMillis < state.noShardLateBeforeMillis()) {
      return List.of();
    }
    NextEvents events = new NextEvents(state, nowMillis);
    for (Dataset dataset : state.datasets()) {
      if (!(dataset instanceof Dataset.ByShards(int number, ShardLedger ledger))) {
        continue;
      }
      for (Map.Entry<Integer, long[]> late :
          DataShardManager.late(ledger, state.masterSinceMillis(), nowMillis).entrySet()) {
        WorkerId worker = state.worker(late.getKey()).id;
        Recovery recovery =
            DataShardManager.takeBack(
                ledger,
                late.getValue(),
                late.getKey(),
                worker.value(),
                true,
                "out for more than %,d ms".formatted(DataShardManager.lateAfterMillis(ledger)));
        List<Long> requeues = requeue(number, recovery.requeues(), events);
        fail(number, ledger, recovery.failure(), events);
        events.decided(requeues, Decisions.late(ledger, worker, late.getValue()));
      }
    }
    return events.list();
  }

  /// Adds the events and returns their numbers.
  private static List<Long> requeue(int dataset, List<Requeue> requeues, NextEvents events) {
    List<Long> numbers = new ArrayList<>();
    for (Requeue requeue : requeues) {
      numbers.add(
          events.add(
              new Event.ShardsRequeued(
                  dataset,
                  requeue.worker(),
                  requeue.numbers(),
                  requeue.charged(),
                  requeue.cause())));
    }
    return numbers;
  }

  private static void fail(
      int dataset, ShardLedger ledger, @Nullable Failure failure, NextEvents events) {
    if (failure != null && ledger.failure() == null) {
      events.decide(
          List.of(new Event.DatasetFailed(dataset, failure)), Decisions.failed(ledger, failure));
    }
  }

  private static Decided done(Event event) {
    return new Decided(List.of(event), new Answer.Done());
  }

  private static Decided answer(Answer answer) {
    return new Decided(List.of(), answer);
  }
}

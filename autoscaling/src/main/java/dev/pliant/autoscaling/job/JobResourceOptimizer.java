package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.autoscaling.job.OutcomeJudge.Judgement;
import dev.pliant.autoscaling.job.PlanAnswer.NoPlan;
import dev.pliant.autoscaling.job.PlanAnswer.Planned;
import dev.pliant.autoscaling.job.ResourceOptimizer.Question;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Sizes one job: walks its stages, asks an optimiser at each, and fits the answer into what the
/// job may have. A round is a function of its arguments; whoever calls it keeps the state that it
/// returns, together with the plan.
///
/// In a round, the first of these that gives a plan ends it:
///
/// 1. in CREATE, the first sizes;
/// 2. a plan that made the training slower is taken back;
/// 3. nodes that are nearly out of memory get more;
/// 4. if [Pacing] allows it, the stage's plan: of a job with parameter servers the optimiser's, in
///    RUNNING first for parameter servers and then for workers; of others the number of workers
///    ([GroupSizer]).
public final class JobResourceOptimizer {
  private final ResourceOptimizer optimizer;
  private final AutoScalingSettings settings;

  public JobResourceOptimizer(ResourceOptimizer optimizer, AutoScalingSettings settings) {
    this.optimizer = optimizer;
    this.settings = settings;
  }

  /// What a round comes to.
  ///
  /// @param state the state for the next round, with the plan as carried out
  /// @param answer the plan, or why there is none
  /// @param outcomes plans whose outcome is now known
  /// @param leaking nodes that got more memory so often that their program leaks
  /// @param nextMillis when the next round is due
  public record Round(
      ScalingState state,
      PlanAnswer answer,
      List<PlanOutcome> outcomes,
      List<NodeId> leaking,
      long nextMillis) {
    public Round {
      outcomes = List.copyOf(outcomes);
      leaking = List.copyOf(leaking);
    }
  }

  /// One round.
  ///
  /// @param before what the round before returned; [ScalingState#FIRST] for a new run
  public Round round(
      ScalingState before,
      JobConstraints job,
      Allocation now,
      JobStatistics statistics,
      long nowMillis) {
    ScalingState state = before.without(now).observed(now.workersAlive(), nowMillis);
    OptimizerInput input =
        new OptimizerInput(job, now, statistics, state.lastChangeMillis(nowMillis), nowMillis);
    List<PlanOutcome> outcomes = new ArrayList<>();
    Step step =
        state.stage().stage() == JobStage.CREATE
            ? create(state, input)
            : later(state, input, outcomes);
    List<NodeId> leaking =
        step.state.memoryIncreases().entrySet().stream()
            .filter(node -> node.getValue() >= settings.memory().leakIncreases())
            .map(Map.Entry::getKey)
            .toList();
    long next = nowMillis + settings.pacing().roundMillis();
    return new Round(step.state, step.answer, outcomes, leaking, next);
  }

  /// More memory for nodes that ran out of it.
  public PlanAnswer recoverFromOom(List<NodeId> nodes, JobStage stage, OptimizerInput input) {
    return fitter(stage, input).fit(optimizer.recoverFromOom(nodes, stage, input));
  }

  private record Step(ScalingState state, PlanAnswer answer) {}

  private Step later(ScalingState state, OptimizerInput input, List<PlanOutcome> outcomes) {
    Step step = judge(state, input, outcomes);
    if (step.answer instanceof NoPlan) {
      PlanAnswer memory =
          new MemoryWatch(settings.memory(), settings.size())
              .plan(input, step.state.memoryIncreases());
      step = carriedOut(step.state, fitter(JobStage.RUNNING, input).fit(memory), input);
    }
    return step.answer instanceof Planned ? step : walk(step.state, input);
  }

  private static Step carriedOut(ScalingState state, PlanAnswer answer, OptimizerInput input) {
    return switch (answer) {
      case NoPlan _ -> new Step(state, answer);
      case Planned(ResourcePlan plan) ->
          new Step(state.with(AppliedPlan.of(plan, input.now(), input.nowMillis())), answer);
    };
  }

  private PlanFitter fitter(JobStage stage, OptimizerInput input) {
    return new PlanFitter(settings.size(), stage, input);
  }

  // CREATE.

  private Step create(ScalingState state, OptimizerInput input) {
    PlanAnswer answer = optimizer.optimize(Question.of(state.stage()), input);
    if (answer instanceof NoPlan(NoPlanReason reason, var _)
        && reason == NoPlanReason.LIMITS_TOO_SMALL) {
      return new Step(state, answer);
    }
    PlanBuilder plan =
        answer instanceof Planned(ResourcePlan first) ? PlanBuilder.of(first) : defaults(input);
    input.job().roles().forEach((role, user) -> complete(role, user, plan));
    Step step =
        carriedOut(state, fitter(JobStage.CREATE, input).fit(plan.build(Allocation.NONE)), input);
    StageEvent event =
        step.answer instanceof NoPlan(NoPlanReason reason, var _)
                && reason != NoPlanReason.UNCHANGED
            ? StageEvent.NO_STATISTICS
            : StageEvent.SERVERS_PLANNED;
    return new Step(step.state.at(state.stage().next(event)), step.answer);
  }

  private PlanBuilder defaults(OptimizerInput input) {
    SizeSettings size = settings.size();
    PlanBuilder plan = new PlanBuilder(Rule.FIRST_SIZES, Goal.START).limits(input);
    plan.count(InputName.NODES, size.workers().count());
    plan.role(Roles.WORKER, new RoleSize(size.workers().count(), NodeResources.UNBOUNDED));
    if (input.job().hasServers()) {
      plan.role(Roles.SERVER, new RoleSize(size.servers().count(), NodeResources.UNBOUNDED));
    }
    return plan.reject(Alternative.MORE_NODES, Objection.NOTHING_MEASURED_YET);
  }

  /// A role that the plan does not name has the user's size. What nobody says is of the defaults.
  private void complete(String role, RoleConstraints user, PlanBuilder plan) {
    RoleSize planned = plan.roles().get(role);
    if (planned == null && (Roles.isWorker(role) || role.equals(Roles.EVALUATOR))) {
      return;
    }
    Integer count = user.count();
    RoleSize size =
        planned == null ? new RoleSize(count == null ? user.min() : count, user.given()) : planned;
    NodeResources given = user.given();
    NodeResources otherwise =
        role.equals(Roles.SERVER)
            ? settings.size().servers().each()
            : settings.size().workers().each();
    NodeResources each = size.each();
    each = each.withCpu(first(each.cpu(), given.cpu(), otherwise.cpu()));
    each =
        each.withMemoryMib(
            (long) first(each.memoryMib(), given.memoryMib(), otherwise.memoryMib()));
    plan.role(role, size.withEach(each));
  }

  private static double first(double planned, double given, double otherwise) {
    return planned > 0 ? planned : given > 0 ? given : otherwise;
  }

  // Outcomes.

  private Step judge(ScalingState state, OptimizerInput input, List<PlanOutcome> outcomes) {
    AppliedPlan pending = state.newest(plan -> !plan.judged(), input.nowMillis());
    PlanAnswer nothing = PlanAnswer.none(NoPlanReason.UNCHANGED);
    if (pending == null) {
      return new Step(state, nothing);
    }
    return switch (OutcomeJudge.judge(pending, state, input, settings.outcome())) {
      case Judgement.Pending() -> new Step(state, nothing);
      case Judgement.Unknown() -> new Step(state.judged(pending), nothing);
      case Judgement.Known(PlanOutcome outcome) -> {
        outcomes.add(outcome);
        ScalingState judged = state.judged(pending);
        yield outcome.slower() ? takeBack(judged, outcome, input) : new Step(judged, nothing);
      }
    };
  }

  private Step takeBack(ScalingState state, PlanOutcome outcome, OptimizerInput input) {
    PlanAnswer answer =
        fitter(JobStage.RUNNING, input).fit(OutcomeJudge.takeBack(outcome, input.now()));
    return carriedOut(state.with(OutcomeJudge.tried(outcome)), answer, input);
  }

  // Stages.

  private Step walk(ScalingState state, OptimizerInput input) {
    Pacing pacing =
        Pacing.of(state, input.job().hasServers(), settings.pacing(), input.nowMillis());
    if (!pacing.isOpen()) {
      return new Step(state, PlanAnswer.none(pacing.reason()));
    }
    while (true) {
      StageState stage = state.stage();
      PlanAnswer answer = untried(ask(state, pacing, input), state, input);
      Step step = carriedOut(state, answer, input);
      state = step.state.at(stage.next(event(answer)));
      boolean walks = answer instanceof NoPlan && !state.stage().equals(stage);
      if (!walks) {
        return new Step(remembered(state, answer, input), answer);
      }
    }
  }

  private PlanAnswer ask(ScalingState state, Pacing pacing, OptimizerInput input) {
    Question question = Question.of(state.stage());
    if (!input.job().hasServers()) {
      return question.stage() == JobStage.RUNNING
          ? fit(
              question,
              new GroupSizer(settings.group())
                  .plan(input, state.avoided(input.nowMillis()), settings.size().maxWorkers()),
              input)
          : PlanAnswer.none(NoPlanReason.NO_SERVERS);
    }
    return switch (question.stage()) {
      case CREATE, WORKER_INITIAL ->
          fit(question, optimizer.optimize(question.workersAlone(), input), input);
      case PS_INITIAL ->
          pacing.servers()
              ? fit(question, optimizer.optimize(question.serversAlone(), input), input)
              : PlanAnswer.none(NoPlanReason.TOO_EARLY);
      case RUNNING -> running(question, state, pacing, input);
    };
  }

  private PlanAnswer running(
      Question question, ScalingState state, Pacing pacing, OptimizerInput input) {
    if (pacing.servers()) {
      PlanAnswer servers = fit(question, optimizer.optimize(question.serversAlone(), input), input);
      if (untried(servers, state, input) instanceof Planned) {
        return servers;
      }
    }
    return fit(question, optimizer.optimize(question.workersAlone(), input), input);
  }

  private PlanAnswer fit(Question question, PlanAnswer answer, OptimizerInput input) {
    return fitter(question.stage(), input).fit(answer);
  }

  private static PlanAnswer untried(PlanAnswer answer, ScalingState state, OptimizerInput input) {
    if (answer instanceof Planned(ResourcePlan plan)
        && state.avoided(input.nowMillis()).stream()
            .anyMatch(size -> size.isTriedBy(plan, input.now()))) {
      return PlanAnswer.none(NoPlanReason.SIZE_WAS_SLOWER, plan.choice().inputs());
    }
    return answer;
  }

  private static StageEvent event(PlanAnswer answer) {
    return switch (answer) {
      case Planned(ResourcePlan plan) ->
          plan.roles().containsKey(Roles.WORKER) || plan.roles().containsKey(Roles.CHIEF)
              ? StageEvent.WORKERS_PLANNED
              : StageEvent.SERVERS_PLANNED;
      case NoPlan(NoPlanReason reason, var _) ->
          switch (reason) {
            case NO_STATISTICS, TOO_EARLY, WORKERS_NOT_STABLE -> StageEvent.NO_STATISTICS;
            default -> StageEvent.NOTHING_TO_CHANGE;
          };
    };
  }

  /// A size that the job leaves because it was not efficient.
  private ScalingState remembered(ScalingState state, PlanAnswer answer, OptimizerInput input) {
    return answer instanceof Planned(ResourcePlan plan) && plan.goal() == Goal.EFFICIENCY
        ? state.with(new GroupSizer(settings.group()).tried(plan, state.tried(), input))
        : state;
  }
}

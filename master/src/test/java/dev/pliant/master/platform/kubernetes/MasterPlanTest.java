package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.DecisionNote;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobResourceSpec;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.RecentDecisions;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MasterPlanTest {
  private static final JobNames NAMES = new JobNames(new JobId("team-a", "digits"));
  private static final NodeResources SMALL = new NodeResources(1, 512, 0);

  private static final DesiredNodes DESIRED =
      new DesiredNodes(
          true,
          List.of(
              new DesiredNode(new NodeId("worker", 0), SMALL, 0, 0, true),
              new DesiredNode(new NodeId("worker", 3), SMALL.withMemoryMib(1_024), 2, 1, false),
              new DesiredNode(new NodeId("ps", 1), SMALL, 0, 1, false),
              new DesiredNode(new NodeId("ps", 2), SMALL, 0, 0, false)),
          new JobStanding(
              JobPhase.RUNNING,
              "",
              List.of(
                  new JobStanding.Size("worker", 1, 1, 4, SMALL, SMALL.withMemoryMib(1_024)),
                  new JobStanding.Size("ps", 2, 0, 3, SMALL, SMALL)),
              5,
              RecentDecisions.NONE));

  @Test
  void saysWhatWasDecidedLastAndFromWhat() {
    Choice grown =
        new Choice(
            new Subject.OfRole("worker"),
            Rule.GROW,
            List.of(Input.count(InputName.REQUESTED, 2)),
            Alternatives.nonePossible(),
            new Plan.AddNodes(new NodeId("worker", 3), 1, NodeResources.UNBOUNDED));
    Choice accepted =
        new Choice(
            new Subject.OfJob(),
            Rule.REQUEST_ACCEPTED,
            List.of(Input.text(InputName.REQUESTED_BY, "x".repeat(1_000))),
            Alternatives.nonePossible(),
            new Plan.ChangeNothing());
    RecentDecisions decisions =
        RecentDecisions.NONE.with(grown.at(7, 0, List.of(6L))).with(accepted.at(8, 0, List.of()));

    JobReport report =
        Objects.requireNonNull(
            MasterPlan.of(NAMES, DESIRED.explained(decisions), Set.of(), 7, Followed.NOTHING)
                .job());
    List<DecisionNote> notes = Objects.requireNonNull(report.decisions());

    assertThat(notes).hasSize(2);
    assertThat(notes.getFirst())
        .isEqualTo(new DecisionNote(1, "grow", "digits-worker-3 is to start."));
    assertThat(notes.getLast().message()).hasSize(DecisionNote.MAX_MESSAGE).endsWith("x…");
  }

  @Test
  void namesAllThatAreToRunAndAllThatAreToGo() {
    ScalePlanSpec plan = MasterPlan.of(NAMES, DESIRED, Set.of(), 7, Followed.NOTHING);

    assertThat(plan.ownerJob()).isEqualTo("digits");
    assertThat(plan.masterEpoch()).isEqualTo(7);
    assertThat(plan.createPods())
        .containsExactly(
            new PodPlan(
                "digits-worker-3", "worker", 3, 1, 2, Map.of("memory", new IntOrString("1024Mi"))),
            new PodPlan("digits-ps-1", "ps", 1, 1, 0, null),
            new PodPlan("digits-ps-2", "ps", 2, 0, 0, null));
    assertThat(plan.removePods())
        .containsExactly(new PodPlan("digits-worker-0", "worker", 0, null, null, null));
    assertThat(plan.psHosts())
        .containsExactly(
            "digits-ps-2.digits.team-a.svc:2222", "digits-ps-1.digits.team-a.svc:2222");
    assertThat(plan.job())
        .isEqualTo(new JobReport(JobStatePhase.Running, null, 1, 1, 4, 5, null, 0L, null));
    assertThat(plan.replicaResourceSpecs())
        .containsEntry(
            "ps",
            new RolePlan(
                2, Map.of("cpu", new IntOrString("1"), "memory", new IntOrString("512Mi"))))
        .containsEntry(
            "worker",
            new RolePlan(
                1, Map.of("cpu", new IntOrString("1"), "memory", new IntOrString("1024Mi"))));
  }

  @Test
  void ofTwoServersWithOnePlaceTheOneBeforeServes() {
    DesiredNodes both =
        new DesiredNodes(
            true,
            List.of(
                new DesiredNode(new NodeId("ps", 0), SMALL, 0, 0, false),
                new DesiredNode(new NodeId("ps", 1), SMALL, 0, 1, false),
                new DesiredNode(new NodeId("ps", 2), SMALL, 0, 0, false)),
            DESIRED.job());

    ScalePlanSpec plan = MasterPlan.of(NAMES, both, Set.of(), 7, Followed.NOTHING);

    assertThat(plan.createPods()).hasSize(3);
    assertThat(plan.psHosts())
        .containsExactly(
            "digits-ps-0.digits.team-a.svc:2222", "digits-ps-1.digits.team-a.svc:2222");
  }

  @Test
  void saysWhichGenerationOfTheJobItFollows() {
    assertThat(MasterPlan.of(NAMES, DESIRED, Set.of(), 7, new Followed(4, "0a1b")).job())
        .extracting(JobReport::generation, JobReport::sizes)
        .containsExactly(4L, "0a1b");
  }

  @Test
  void oneThatWasToldToGoNeverRunsAgain() {
    ScalePlanSpec plan =
        MasterPlan.of(NAMES, DESIRED, Set.of(new NodeId("worker", 3)), 7, Followed.NOTHING);

    assertThat(plan.createPods()).extracting(PodPlan::name).doesNotContain("digits-worker-3");
  }

  @Test
  void isCarriedWholeByAJobResource() {
    ScalePlanSpec plan = MasterPlan.of(NAMES, DESIRED, Set.of(), 7, Followed.NOTHING);

    JobResourceSpec resource = MasterPlan.asJobResource(NAMES, plan);

    assertThat(resource.selector().job()).isEqualTo("digits");
    assertThat(resource.plan()).isEqualTo(plan);
    assertThat(resource.worker()).extracting(RolePlan::replicas).isEqualTo(1);
    assertThat(resource.evaluator()).isNull();
  }
}

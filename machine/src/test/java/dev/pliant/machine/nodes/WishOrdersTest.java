package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WishOrdersTest {
  private static final NodeResources SMALL = new NodeResources(1, 512, 0);
  private static final ResourceChange LARGE = new ResourceChange(2.0, 2_048L, null, null);

  /// Two workers of 1 to 4, one parameter server of at most 2, room for an evaluator.
  private static NodeLife job() {
    NodeLife life =
        NodeLife.of(
            NodeLife.with(
                NodeLife.plan(Strategy.LOCAL, 2, 1, 4, SMALL),
                new JobPlan.RolePlan("ps", 1, 0, 2, 3, SMALL),
                new JobPlan.RolePlan("evaluator", 0, 0, 1, 3, SMALL)));
    life.runs(0, 1);
    life.hears(new NodeNews.Running(ps(0)));
    return life;
  }

  private static NodeId ps(int number) {
    return new NodeId("ps", number);
  }

  private static Wish wish(
      List<Wish.RoleWish> roles,
      List<Wish.NewNode> add,
      List<NodeId> remove,
      List<Wish.Replacement> replace) {
    return new Wish("plan-1", 1, "ScalePlan manual-1", roles, add, remove, replace);
  }

  private static Wish count(String role, @Nullable Integer count, ResourceChange resources) {
    return wish(
        List.of(new Wish.RoleWish(role, count, resources)), List.of(), List.of(), List.of());
  }

  private static Wish add(String role) {
    return wish(List.of(), List.of(new Wish.NewNode(role, LARGE)), List.of(), List.of());
  }

  private static Wish remove(NodeId... nodes) {
    return wish(List.of(), List.of(), List.of(nodes), List.of());
  }

  private static Wish.Replacement large(NodeId node) {
    return new Wish.Replacement(node, LARGE);
  }

  /// What a JobResource says: it speaks of roles that the job may not have.
  private static Wish resource(
      long generation, List<Wish.RoleWish> roles, Wish.Replacement... replace) {
    return new Wish(
        "resource-1",
        generation,
        "JobResource r",
        Wish.UnknownRole.LEFT_OUT,
        roles,
        List.of(),
        List.of(),
        List.of(replace));
  }

  private static Wish.RoleWish count(String role, int count) {
    return new Wish.RoleWish(role, count, ResourceChange.NONE);
  }

  private static Wish replace(NodeId node) {
    return wish(List.of(), List.of(), List.of(), List.of(new Wish.Replacement(node, LARGE)));
  }

  static Stream<Arguments> done() {
    return Stream.of(
        arguments(
            count("worker", 3, ResourceChange.NONE),
            "worker: from 2 to 3 nodes",
            List.of("ps-0", "worker-0", "worker-1", "worker-2")),
        arguments(
            count("worker", 2, ResourceChange.NONE),
            "all is so already",
            List.of("ps-0", "worker-0", "worker-1")),
        arguments(
            count("evaluator", 1, ResourceChange.NONE),
            "evaluator: from 0 to 1 nodes",
            List.of("evaluator-0", "ps-0", "worker-0", "worker-1")),
        arguments(
            count("ps", 0, ResourceChange.NONE),
            "ps: from 1 to 0 nodes",
            List.of("worker-0", "worker-1")),
        arguments(
            count("worker", null, LARGE),
            "worker nodes that are made from now on get 2.0 cores, 2,048 MiB",
            List.of("ps-0", "worker-0", "worker-1")),
        arguments(
            add("ps"),
            "ps-1 is started with 2.0 cores, 2,048 MiB; ps: from 1 to 2 nodes",
            List.of("ps-0", "ps-1", "worker-0", "worker-1")),
        arguments(
            remove(NodeLife.worker(0)),
            "worker-0 is told to go; worker: from 2 to 1 nodes",
            List.of("ps-0", "worker-1")),
        arguments(
            replace(NodeLife.worker(0)),
            "worker-2 takes the place of worker-0, with 2.0 cores, 2,048 MiB; worker-0 stays until worker-2 runs",
            List.of("ps-0", "worker-0", "worker-1", "worker-2")),
        arguments(
            replace(ps(0)),
            "ps-1 takes the place of ps-0, with 2.0 cores, 2,048 MiB; ps-0 stays until ps-1 runs",
            List.of("ps-0", "ps-1", "worker-0", "worker-1")),
        arguments(
            wish(
                List.of(count("worker", 4)),
                List.of(),
                List.of(),
                List.of(large(NodeLife.worker(0)), large(NodeLife.worker(3)))),
            "worker-3 is started with 2.0 cores, 2,048 MiB; worker-4 takes the place of worker-0, with 2.0 cores, 2,048 MiB; worker: from 2 to 4 nodes; worker-0 stays until worker-4 runs",
            List.of("ps-0", "worker-0", "worker-1", "worker-2", "worker-3", "worker-4")));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("done")
  void isDoneAsAWhole(Wish wish, String wantMessage, List<String> wantStaying) {
    NodeLife life = job();

    Wish.Taken taken = life.wish(wish);

    assertThat(taken).isEqualTo(new Wish.Taken("plan-1", 1, true, false, wantMessage));
    assertThat(life.staying().stream().sorted()).isEqualTo(wantStaying);
    assertThat(life.decisions).anyMatch(decision -> decision.rule().equals(Rule.REQUEST_ACCEPTED));
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        arguments(
            count("worker", 5, LARGE),
            "5 nodes of role worker are asked for; this job takes from 1 to 4."),
        arguments(
            count("worker", 0, LARGE),
            "0 nodes of role worker are asked for; this job takes from 1 to 4."),
        arguments(
            count("chief", 1, LARGE),
            "this job has no role 'chief'; it has [worker, evaluator, ps]."),
        arguments(
            count("worker", 3, new ResourceChange(-1.0, null, null, null)),
            "a node of -1.0 cores cannot be; use 0 for no bound."),
        arguments(
            count("worker", null, new ResourceChange(0.0, 0L, 0, 0L)),
            "0 of cpu, memory is asked for, and the job's template of role worker gives some (1.0 cores, 512 MiB); ask for more than 0, or change the template."),
        arguments(
            wish(
                List.of(),
                List.of(),
                List.of(),
                List.of(new Wish.Replacement(ps(0), new ResourceChange(null, 0L, null, null)))),
            "0 of memory is asked for, and the job's template of role ps gives some (1.0 cores, 512 MiB); ask for more than 0, or change the template."),
        arguments(
            remove(NodeLife.worker(0), NodeLife.worker(1)),
            "0 nodes of role worker are asked for; this job takes from 1 to 4."),
        arguments(remove(NodeLife.worker(1), NodeLife.worker(1)), "node worker-1 is named twice."),
        arguments(
            replace(NodeLife.worker(7)),
            "there is no node worker-7 that is to stay; there are [evaluator-0]."),
        arguments(
            wish(
                List.of(count("worker", 4)),
                List.of(),
                List.of(),
                List.of(large(NodeLife.worker(4)))),
            "there is no node worker-4 that is to stay; there are [evaluator-0]."),
        arguments(
            wish(
                List.of(count("worker", 2_000_000_000)),
                List.of(),
                List.of(),
                List.of(large(NodeLife.worker(1_000_000)))),
            "2,000,000,000 nodes of role worker are asked for; this job takes from 1 to 4."),
        arguments(
            wish(
                List.of(count("worker", 4)),
                List.of(),
                List.of(),
                List.of(large(NodeLife.worker(3)), large(NodeLife.worker(3)))),
            "node worker-3 is named twice."),
        arguments(
            new Wish(
                "plan-1",
                1,
                "",
                List.of(new Wish.RoleWish("worker", 4, ResourceChange.NONE)),
                List.of(new Wish.NewNode("worker", ResourceChange.NONE)),
                List.of(),
                List.of()),
            "5 nodes of role worker are asked for; this job takes from 1 to 4."));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("refused")
  void isRefusedAsAWholeAndTheJobGoesOn(Wish wish, String wantMessage) {
    NodeLife life = job();
    List<String> before = life.staying();

    Wish.Taken taken = life.wish(wish);

    assertThat(taken.done()).isFalse();
    assertThat(taken.message()).isEqualTo(wantMessage.replace("[evaluator-0]", before.toString()));
    assertThat(life.staying()).isEqualTo(before);
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.REQUEST_REFUSED);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
  }

  @Test
  void aRoleThatTheJobHasNotIsLeftOutWhereTheWishSaysSo() {
    NodeLife life = job();

    Wish.Taken taken =
        life.wish(
            resource(
                1, List.of(count("worker", 3), count("chief", 1)), large(new NodeId("chief", 0))));

    assertThat(taken.done()).isTrue();
    assertThat(taken.message())
        .isEqualTo("worker: from 2 to 3 nodes; this job has no role 'chief', which is left out");
    assertThat(life.staying()).hasSize(4).contains("worker-2");
  }

  @Test
  void aNodeThatItsOwnCountBringsIsMadeOfTheSizeThatIsNamed() {
    NodeLife life = job();

    life.wish(
        wish(
            List.of(new Wish.RoleWish("worker", 4, new ResourceChange(null, 1_024L, null, null))),
            List.of(),
            List.of(),
            List.of(
                new Wish.Replacement(
                    NodeLife.worker(3), new ResourceChange(8.0, null, null, null)))));

    assertThat(life.node(2).resources()).isEqualTo(new NodeResources(1, 1_024, 0));
    assertThat(life.node(3).resources()).isEqualTo(new NodeResources(8, 1_024, 0));
    assertThat(life.node(2).rank()).isEqualTo(2);
    assertThat(life.node(3).rank()).isEqualTo(3);
    assertThat(life.staying()).hasSize(5);
  }

  @Test
  void placesStayFilledWhereOneToComeAndOneToGoAreNamed() {
    NodeLife life = job();

    life.wish(
        wish(
            List.of(count("worker", 3)),
            List.of(),
            List.of(NodeLife.worker(1)),
            List.of(large(NodeLife.worker(0)), large(NodeLife.worker(2)))));

    assertThat(life.node(2).rank()).as("the place of worker-1").isEqualTo(1);
    assertThat(life.node(3).rank()).as("the place of worker-0").isZero();
    life.runs(3);
    assertThat(life.staying()).containsExactlyInAnyOrder("ps-0", "worker-2", "worker-3");
  }

  @Test
  void aJobThatRestsBringsNoNodes() {
    NodeLife life = job();
    life.rest();

    Wish.Taken taken =
        life.wish(resource(1, List.of(count("worker", 3)), large(NodeLife.worker(2))));

    assertThat(taken.message()).isEqualTo("the job rests; a node can be added once it goes on.");
  }

  @Test
  void aWishThatWasDoneCanBeChanged() {
    NodeLife life = job();
    Wish.Replacement first = large(NodeLife.worker(0));
    Wish.Replacement second = large(NodeLife.worker(2));
    life.wish(resource(1, List.of(count("worker", 3)), first, second));
    life.runs(2, 3);
    assertThat(life.staying())
        .containsExactlyInAnyOrder("ps-0", "worker-1", "worker-2", "worker-3");

    Wish.Taken taken = life.wish(resource(2, List.of(count("worker", 4)), first, second));

    assertThat(taken.message())
        .isEqualTo(
            "worker: from 3 to 4 nodes; worker-0 is gone, as was wished before; worker-2 is of that size already");
    assertThat(life.staying()).hasSize(5).contains("worker-2", "worker-3", "worker-4");
  }

  @Test
  void whatWasDoneIsRememberedOverARefusalAndANewMaster() {
    NodeLife life = job();
    Wish.Replacement first = large(NodeLife.worker(0));
    life.wish(resource(1, List.of(), first));
    life.runs(2);
    assertThat(life.wish(resource(2, List.of(count("worker", 9)), first)).done()).isFalse();
    life.table = NodeTable.of(life.table.image());

    assertThat(life.wish(resource(3, List.of(count("worker", 3)), first)).message())
        .isEqualTo("worker: from 2 to 3 nodes; worker-0 is gone, as was wished before");
  }

  @Test
  void oneThatWasRefusedHasDoneNothing() {
    NodeLife life = job();
    life.ends(0, 137);
    Wish.Replacement gone = large(NodeLife.worker(0));

    assertThat(life.wish(resource(1, List.of(), gone)).done()).isFalse();
    assertThat(life.wish(resource(2, List.of(count("worker", 3)), gone)).done()).isFalse();
  }

  @Test
  void aNodeThatWasSentAwayGoesOffTheCountEachTime() {
    NodeLife life = job();
    List<NodeId> remove = List.of(NodeLife.worker(0));
    Wish counted = new Wish("w", 1, "", List.of(count("worker", 3)), List.of(), remove, List.of());
    Wish counting =
        new Wish("v", 1, "", List.of(), List.of(), List.of(NodeLife.worker(1)), List.of());

    life.wish(counted);
    life.wish(new Wish("w", 2, "", counted.roles(), List.of(), remove, List.of()));
    assertThat(life.table.wish()).isEqualTo(2);

    life.wish(counting);
    Wish.Taken again =
        life.wish(new Wish("v", 2, "", List.of(), List.of(), counting.remove(), List.of()));
    assertThat(again.message())
        .isEqualTo("all is so already; worker-1 is gone, as was wished before");
    assertThat(life.table.wish()).isEqualTo(1);
  }

  @Test
  void eachGenerationIsTakenOnceAndItsAnswerStays() {
    NodeLife life = job();
    Wish grow = add("worker");

    Wish.Taken first = life.wish(grow);
    Wish.Taken again = life.wish(grow);
    NodeTable next = NodeTable.of(life.table.image());
    Wish.Taken later = WishOrders.take(next, grow).taken();

    assertThat(again).isEqualTo(first);
    assertThat(later).isEqualTo(first);
    assertThat(life.table.wish()).isEqualTo(3);
    Wish changed =
        new Wish(grow.source(), 2, grow.who(), List.of(), grow.add(), List.of(), List.of());
    assertThat(life.wish(changed).generation()).isEqualTo(2);
    assertThat(life.table.wish()).isEqualTo(4);
    assertThat(life.wish(grow).generation()).as("an older one comes late").isEqualTo(2);
    assertThat(life.table.wish()).isEqualTo(4);
  }

  @Test
  void oneThatIsReplacedIsToldToGoAndItsPlaceAndLineGoOn() {
    NodeLife life = job();
    life.ends(1, 137); // worker-2 fills the second place.
    life.runs(2);

    life.wish(replace(NodeLife.worker(2)));
    assertThat(life.node(2).released()).isFalse();
    life.runs(3);

    assertThat(life.node(2).released()).isTrue();
    assertThat(life.node(3).rank()).isEqualTo(1);
    assertThat(life.node(3).replaces()).isEqualTo(NodeLife.worker(2));
    life.ends(2, 143);
    assertThat(life.staying()).containsExactlyInAnyOrder("ps-0", "worker-0", "worker-3");
    assertThat(life.table.desired().job().replacements()).isEqualTo(2);
  }

  @Test
  void newNodesGetWhatWasWishedUntilThePlanSaysOtherwise() {
    NodeLife life = job();
    life.wish(count("worker", 3, LARGE));
    assertThat(life.node(2).resources()).isEqualTo(new NodeResources(2, 2_048, 0));

    JobPlan plan = life.table.plan();
    life.apply(
        JobOrders.define(
            life.table,
            NodeLife.with(
                NodeLife.plan(Strategy.LOCAL, 2, 1, 4, new NodeResources(3, 512, 0)),
                plan.others().toArray(JobPlan.RolePlan[]::new))));
    life.scale(4);

    assertThat(life.node(3).resources().cpu()).isEqualTo(3);
  }

  /// A job whose journal began anew: of what was wished before nothing is known.
  private static NodeLife jobWithoutAPast() {
    NodeLife life = new NodeLife();
    life.apply(JobOrders.reserve(life.table, "worker", 0));
    life.apply(JobOrders.define(life.table, NodeLife.plan(Strategy.LOCAL, 2, 1, 4, SMALL)));
    return life;
  }

  @Test
  void oneThatWasDoneIsKnownWhereTheJournalOfItIsLost() {
    NodeLife life = jobWithoutAPast();
    Wish wish = resource(3, List.of(count("worker", 3)), large(NodeLife.worker(0)));

    life.apply(WishOrders.recall(life.table, wish));

    assertThat(life.staying()).as("what the job had last, others know").hasSize(2);
    life.table = NodeTable.of(life.table.image());
    assertThat(WishOrders.recall(life.table, wish)).as("once").isEmpty();
    Wish edited = resource(4, List.of(count("worker", 3)), large(NodeLife.worker(0)));
    assertThat(life.wish(edited).done()).isTrue();
    assertThat(life.staying()).hasSize(3);
  }

  @Test
  void oneThatWasDoneStaysDoneWhereNothingIsLost() {
    assertThat(WishOrders.recall(job().table, count("worker", 4, LARGE))).isEmpty();

    NodeLife over = jobWithoutAPast();
    over.apply(JobOrders.stop(over.table, "a test"));
    assertThat(WishOrders.recall(over.table, count("worker", 4, LARGE))).isEmpty();
  }

  @Test
  void aJobThatIsOverTakesNone() {
    NodeLife life = job();
    life.apply(JobOrders.stop(life.table, "a test"));

    Wish.Taken taken = life.wish(add("worker"));

    assertThat(taken.done()).isFalse();
    assertThat(taken.message())
        .isEqualTo("job default/life is stopping; its size can no longer be changed.");
  }
}

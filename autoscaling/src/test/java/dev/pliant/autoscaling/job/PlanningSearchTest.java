package dev.pliant.autoscaling.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.autoscaling.job.AutoScalingSettings.PacingSettings;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceSum;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Seeded random jobs: plans keep within what the user allows, end, and do not swing.
final class PlanningSearchTest {
  private static final int JOBS = Integer.getInteger("pliant.jobs", 20);
  private static final int ROUNDS = 500;

  /// Quick, so that what takes days comes to its end in so many rounds.
  private static final AutoScalingSettings SETTINGS =
      AutoScalingSettings.DEFAULT.withPacing(
          new PacingSettings(30_000, 30_000, 30_000, 60_000, 30_000));

  private final long seed = Long.getLong("pliant.seed", System.nanoTime());

  /// What a job measures follows from its size alone: then planning ends, and no size is left and
  /// entered again, except where a plan is taken back or a size proved inefficient.
  @Test
  void planningOfASteadyJobEndsAndDoesNotSwing() {
    System.out.println("seed " + seed + " (-Dpliant.seed)");
    for (int i = 0; i < JOBS; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      String which = "seed %d, job %d".formatted(seed, i);
      Simulation job = steady(random);
      Set<Object> seen = new HashSet<>();
      int retries = 0;
      for (int round = 0; round < ROUNDS; round++) {
        PlanAnswer answer = job.round();
        keepsWithinBounds(job, which + ", round " + round);
        if (answer instanceof PlanAnswer.Planned(ResourcePlan plan)) {
          assertThat(job.decide()).as(which).isInstanceOf(PlanAnswer.NoPlan.class);
          if (!seen.add(List.of(job.now.roles(), job.now.nodes())) && plan.goal() == Goal.SPEED) {
            retries++;
          }
        }
      }
      // A size that was not efficient is tried once more.
      long inefficient = job.plans.stream().filter(p -> p.goal() == Goal.EFFICIENCY).count();
      assertThat(retries).as(which).isLessThanOrEqualTo((int) (inefficient + 1) / 2);
      int plans = job.plans.size();
      job.rounds(ROUNDS);
      assertThat(job.plans.size() - plans)
          .as("%s: plans in the end:\n%s", which, sketch(job.plans))
          .isZero();
    }
  }

  private static String sketch(List<ResourcePlan> plans) {
    StringBuilder text = new StringBuilder();
    for (ResourcePlan plan : plans) {
      text.append(plan.choice().rule()).append(' ').append(plan.choice().plan()).append('\n');
    }
    return text.toString();
  }

  private static Simulation steady(SplittableRandom random) {
    Map<String, RoleConstraints> roles = new TreeMap<>();
    boolean servers = random.nextBoolean();
    if (servers) {
      roles.put(Roles.SERVER, anyRole(random, 15));
    }
    if (random.nextInt(4) == 0) {
      roles.put(Roles.CHIEF, RoleConstraints.of(1, 1));
    }
    if (random.nextInt(4) == 0) {
      roles.put(Roles.EVALUATOR, RoleConstraints.of(0, 1));
    }
    roles.put(Roles.WORKER, anyRole(random, 80));
    Double cpu = random.nextInt(3) == 0 ? null : random.nextInt(10, 3_000) / 10.0;
    Long memory = random.nextInt(3) == 0 ? null : random.nextLong(2_000, 400_000);
    Simulation job = new Simulation(Jobs.job(cpu, memory, roles), SETTINGS);
    job.room = Jobs.room(random.nextInt(0, 100), random.nextInt(0, 400_000));
    double serverLoad = random.nextDouble(0, 2);
    double workerLoad = random.nextDouble(0, 6);
    double memoryOfWorker = random.nextDouble(1, 9_000);
    job.cpu =
        node -> {
          double has = job.now.resources(node).cpu();
          double needs =
              node.role().equals(Roles.SERVER)
                  ? serverLoad * job.now.workers() / Math.max(1, job.now.count(Roles.SERVER))
                  : workerLoad;
          return Math.min(has, needs);
        };
    job.memory = node -> Math.min(job.now.resources(node).memoryMib() * 0.97, memoryOfWorker);
    double knee = random.nextDouble(1, 40);
    double slope = random.nextDouble(-0.2, 0.5);
    job.speed =
        now -> {
          double n = now.workers();
          return Math.max(0, 10 * (n <= knee ? n : knee + slope * (n - knee)));
        };
    return job;
  }

  private static RoleConstraints anyRole(SplittableRandom random, int most) {
    int max = random.nextInt(1, most);
    int min = random.nextInt(1, max + 1);
    RoleConstraints role = RoleConstraints.of(min, max).withAutoScale(random.nextInt(8) != 0);
    if (random.nextInt(3) == 0) {
      role = role.withUnit(random.nextInt(1, max + 1));
    }
    if (random.nextInt(3) == 0) {
      role = role.withCount(random.nextInt(min, max + 1));
    }
    return random.nextInt(3) == 0
        ? role.withGiven(new NodeResources(random.nextInt(0, 8), random.nextInt(0, 9_000), 0))
        : role;
  }

  private static void keepsWithinBounds(Simulation job, String which) {
    ResourceSum sum = ResourceSum.of(job.now.nodes().values());
    assertThat(job.job.limits().exceeded(new ResourceSum(0, 0, 0, 0, 0), sum))
        .as("%s: %s", which, job.now.roles())
        .isEmpty();
    job.now
        .roles()
        .forEach((role, size) -> {
          RoleConstraints bounds = job.job.role(role);
          if (bounds == null) {
            throw new AssertionError(which + ": the job has no role " + role);
          }
          if (role.equals(Roles.EVALUATOR)) {
            return;
          }
          assertThat(size.count()).as("%s: %s", which, role).isBetween(bounds.min(), bounds.max());
          assertThat(size.each().cpu()).as(which).isBetween(0.0, 32.0);
          assertThat(size.each().memoryMib()).as(which).isBetween(0L, 65_536L);
        });
  }

  /// Whatever is reported, a round neither throws nor leaves the bounds.
  @Test
  void noReportMakesAWrongPlan() {
    System.out.println("seed " + seed + " (-Dpliant.seed)");
    for (int i = 0; i < JOBS; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      Simulation job = steady(random);
      for (int round = 0; round < 100; round++) {
        job.statistics = wild(job, random);
        job.millis += random.nextLong(-60_000, 400_000);
        job.decide();
        keepsWithinBounds(job, "seed %d, job %d, round %d".formatted(seed, i, round));
      }
    }
  }

  private static JobStatistics wild(Simulation job, SplittableRandom random) {
    JobStatistics statistics = job.statistics;
    List<NodeUsage> nodes = new ArrayList<>();
    for (Map.Entry<NodeId, NodeResources> node : job.now.nodes().entrySet()) {
      if (random.nextInt(10) > 0) {
        nodes.add(
            new NodeUsage(
                node.getKey(),
                random.nextInt(5) == 0 ? NodeResources.UNBOUNDED : node.getValue(),
                any(random, node.getValue().cpu()),
                any(random, node.getValue().memoryMib()),
                any(random, 80_000)));
      }
    }
    long at = job.millis + random.nextLong(-100_000, 50_000);
    return statistics
        .with(new UsageRecord(at, nodes))
        .with(new SpeedSample(at, random.nextInt(-1, 5), random.nextInt(-1, 3), any(random, 1_000)))
        .withRoom(
            new FreeRoom(
                List.of(
                    new FreeRoom.Machine(any(random, 100), any(random, 100_000), 0),
                    new FreeRoom.Machine(any(random, 100), any(random, 100_000), 2))));
  }

  private static double any(SplittableRandom random, double most) {
    return switch (random.nextInt(12)) {
      case 0 -> Double.NaN;
      case 1 -> -random.nextDouble(1, 100);
      case 2 -> Double.POSITIVE_INFINITY;
      case 3 -> Double.MAX_VALUE;
      case 4 -> 0;
      default -> random.nextDouble() * most;
    };
  }
}

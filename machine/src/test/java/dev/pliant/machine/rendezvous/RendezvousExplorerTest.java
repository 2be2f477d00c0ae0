package dev.pliant.machine.rendezvous;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Runs many jobs, each through a bad minute of its own: members that join, die, stop and wake,
/// drains, changed limits, lost streams, late and repeated words, masters that are killed. When
/// nothing has befallen a job for a while, whoever can train does so in one agreed world.
///
/// `-Dpliant.interleavings=1000000` runs more; `-Dpliant.seed=…` runs one and tells its story.
class RendezvousExplorerTest {
  private static final int BAD_MINUTE = 60_000;

  /// How long it may take from the last disturbance to one agreed world: a silent member is noticed
  /// (15 s), those who wait for it in a collective give up (5 s), whoever does not come is left out
  /// (10 s); and once more for whoever joins again meanwhile.
  private static final int BOUND =
      2 * (SimulatedJob.HEARTBEAT_TIMEOUT + SimulatedJob.COLLECTIVE_TIMEOUT + 10_000) + 15_000;

  /// How much longer for each process that hangs without its agent seeing it: a world with it must
  /// be tried to find out, and should it hang as a whole, its abort must have come to nothing.
  private static final int A_HANG =
      SimulatedJob.COLLECTIVE_TIMEOUT
          + 10_000
          + (int) SimulatedJob.BELOW_MIN_FOR.toMillis()
          + 5_000;

  @Test
  void everyBadMinuteEndsInOneAgreedWorld() {
    Long one = Long.getLong("pliant.seed");
    if (one != null) {
      List<String> story = new ArrayList<>();
      try {
        live(one, story);
      } finally {
        story.forEach(System.out::println);
      }
      return;
    }
    long count = Long.getLong("pliant.interleavings", 100_000);
    long first = Long.getLong("pliant.first.seed", 1);
    System.out.printf("rendezvous: seeds %d to %d%n", first, first + count - 1);
    AtomicLong failed = new AtomicLong(Long.MAX_VALUE);
    LongStream.range(first, first + count)
        .parallel()
        .forEach(seed -> {
          if (failed.get() == Long.MAX_VALUE && !survives(seed)) {
            failed.accumulateAndGet(seed, Math::min);
          }
        });
    if (failed.get() != Long.MAX_VALUE) {
      replay(failed.get());
    }
  }

  private static boolean survives(long seed) {
    try {
      live(seed, null);
      return true;
    } catch (AssertionError | RuntimeException e) {
      return false;
    }
  }

  private static void replay(long seed) {
    List<String> story = new ArrayList<>();
    try {
      live(seed, story);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed %d: %s%nReplay it: ./mvnw -pl master -am test -Dtest=RendezvousExplorerTest -Dsurefire.failIfNoSpecifiedTests=false -Dpliant.seed=%d%n%s"
              .formatted(seed, e.getMessage(), seed, String.join("\n", story)),
          e);
    }
    throw new AssertionError("seed %d failed once and not again".formatted(seed));
  }

  private static void live(long seed, @Nullable List<String> story) {
    SimulatedJob job = new SimulatedJob(seed, story == null ? null : story::add);
    int first = 1 + job.random.nextInt(5);
    for (int i = 0; i < first; i++) {
      join(job, job.between(0, 3_000));
    }
    int disturbances = job.random.nextInt(14);
    for (int i = 0; i < disturbances; i++) {
      job.after(job.between(0, BAD_MINUTE), () -> disturb(job));
    }
    job.runUntil(BAD_MINUTE + 5_000);
    job.say("quiet");
    long hung = job.nodes.stream().filter(SimulatedNode::isHung).count();
    job.runUntil(BAD_MINUTE + 5_000 + BOUND + hung * A_HANG);
    Invariants.atRest(job);
  }

  private static void join(SimulatedJob job, int inMillis) {
    SimulatedNode node = new SimulatedNode(job, job.nodes.size());
    job.nodes.add(node);
    job.after(inMillis, node::start);
  }

  private static void disturb(SimulatedJob job) {
    SplittableRandom random = job.random;
    SimulatedNode node = job.nodes.get(random.nextInt(job.nodes.size()));
    switch (random.nextInt(16)) {
      case 0, 1 -> node.killProcess();
      case 2, 3 -> node.killNode();
      case 4 -> {
        if (random.nextBoolean()) {
          node.stop();
        } else {
          node.hang();
        }
      }
      case 5, 6 -> {
        node.stop();
        job.after(job.between(1, 4_000) * 10L / (1 + random.nextInt(10)), node::wake);
      }
      case 7, 8 -> node.loseStream();
      case 9 -> job.nodes.forEach(SimulatedNode::loseStream);
      case 10 -> job.killMaster(job.between(1, 5_000));
      case 11 -> node.drain();
      case 12, 13 -> {
        if (job.nodes.size() < 10) {
          join(job, 0);
        }
      }
      case 14 -> {
        int wish = random.nextInt(job.rules.max() + 1);
        job.setRules(job.rules.withWished(wish));
      }
      default -> {
        if (random.nextInt(4) == 0) {
          job.nodes.forEach(SimulatedNode::finish);
        }
      }
    }
  }
}

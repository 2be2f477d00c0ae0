package dev.pliant.agent.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.Closed;
import dev.pliant.protocol.v1.Excluded;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.Rank;
import dev.pliant.protocol.v1.Reform;
import dev.pliant.protocol.v1.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// Random words of processes and master in every order: none throws, and what holds in every state
/// holds in each that is reached.
class WorldBookSearchTest {
  private static final List<WorkerId> WORKERS =
      List.of(new WorkerId("a"), new WorkerId("b"), new WorkerId("c"));
  private static final int RUNS = 3_000;
  private static final int STEPS = 60;

  @Test
  void everyOrderOfWordsMakesSense() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom chance = new SplittableRandom(seed);
    for (int run = 0; run < RUNS; run++) {
      new Run(chance.split()).go();
    }
  }

  private static final class Run {
    final RandomGenerator chance;
    final WorldBook book = new WorldBook("node", 1);
    final Map<WorkerId, Long> versions = new HashMap<>();
    final Map<String, Long> incarnations = new HashMap<>();

    Run(RandomGenerator chance) {
      this.chance = chance;
    }

    void go() {
      for (int i = 0; i < STEPS; i++) {
        step();
        check();
      }
    }

    WorkerId worker() {
      return WORKERS.get(chance.nextInt(WORKERS.size()));
    }

    void step() {
      WorkerId worker = worker();
      switch (chance.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5 -> ask(worker);
        case 6 -> {
          note(book.left(worker, ExitReason.KILLED, "m"));
          versions.remove(worker);
        }
        case 7 -> book.told(worker);
        case 8 -> {
          if (chance.nextInt(10) == 0) {
            note(book.drain());
          }
        }
        case 9 -> {
          if (chance.nextInt(20) == 0) {
            note(book.end("why"));
          }
        }
        case 10 -> note(book.opening());
        case 11 -> hear(MeetResponse.newBuilder().setClosed(Closed.newBuilder().setComplete(true)));
        case 12, 13 ->
            hear(
                MeetResponse.newBuilder()
                    .setReform(
                        Reform.newBuilder()
                            .setVersion(chance.nextInt(8))
                            .setAbort(chance.nextBoolean())));
        case 14 ->
            hear(
                MeetResponse.newBuilder()
                    .setExcluded(
                        Excluded.newBuilder()
                            .setWorker(worker.value())
                            .setIncarnation(incarnation(worker))
                            .setReleased(chance.nextBoolean())));
        default -> hear(MeetResponse.newBuilder().setWorld(world()));
      }
    }

    void ask(WorkerId worker) {
      long after = chance.nextBoolean() ? versions.getOrDefault(worker, 0L) : chance.nextInt(8);
      Arrival arrival = new Arrival(after, chance.nextBoolean(), "h:1");
      note(book.asked(Map.of(worker, arrival)));
      WorldAnswer first = book.answer(worker);
      assertThat(book.asked(Map.of(worker, arrival))).as("asked again").isEmpty();
      assertThat(book.answer(worker)).isEqualTo(first);
    }

    long incarnation(WorkerId worker) {
      return chance.nextInt(4) == 0
          ? chance.nextInt(6)
          : incarnations.getOrDefault(worker.value(), 0L);
    }

    World world() {
      World.Builder world =
          World.newBuilder().setVersion(1 + chance.nextInt(8)).setSize(3).setNodes(1);
      for (int i = 0; i < WORKERS.size(); i++) {
        if (chance.nextInt(4) > 0) {
          world.addRanks(
              Rank.newBuilder()
                  .setWorker(WORKERS.get(i).value())
                  .setIncarnation(incarnation(WORKERS.get(i)))
                  .setRank(i));
        }
      }
      return world.build();
    }

    void hear(MeetResponse.Builder word) {
      book.heard(word.build());
    }

    /// Incarnations only grow.
    void note(List<MeetRequest> words) {
      for (MeetRequest word : words) {
        for (Member member : word.getArrive().getMembersList()) {
          Long before = incarnations.put(member.getWorker(), member.getIncarnation());
          assertThat(member.getIncarnation()).isGreaterThanOrEqualTo(before == null ? 0 : before);
        }
      }
    }

    void check() {
      List<Member> open = book.opening().getFirst().getOpen().getMembersList();
      assertThat(open).extracting(Member::getWorker).doesNotHaveDuplicates();
      for (WorkerId worker : WORKERS) {
        if (book.answer(worker) instanceof WorldAnswer.Inside(Placement placement)) {
          Long before = versions.put(worker, placement.version());
          assertThat(open)
              .anyMatch(member ->
                  member.getWorker().equals(worker.value())
                      && member.getWorld() == placement.version());
          assertThat(placement.localRank()).isLessThan(placement.localSize());
          assertThat(before == null || placement.version() != 0).isTrue();
        }
      }
    }
  }
}

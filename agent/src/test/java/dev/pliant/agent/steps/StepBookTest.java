package dev.pliant.agent.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.agent.steps.StepBook.Commit;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StepBookTest {
  private final StepBook book = new StepBook();

  private static Commit step(long world, long epoch, long step) {
    return new Commit(epoch, step, world, Map.of());
  }

  private boolean settled() {
    return book.settledCount() == book.saidCount();
  }

  @Test
  void theNewestIsSaidAndOneIsUnderWayAtATime() {
    book.said(step(1, 0, 0));
    assertThat(book.next()).contains(step(1, 0, 0));
    book.said(step(1, 0, 1));
    book.said(step(1, 1, 0));
    assertThat(book.next()).isEmpty();
    book.answered(false);
    assertThat(book.settledCount()).isEqualTo(1);
    assertThat(book.next()).contains(step(1, 1, 0));
    assertThat(settled()).isFalse();
    book.answered(false);
    assertThat(settled()).isTrue();
    assertThat(book.next()).isEmpty();
  }

  @Test
  void lateWordsOfAnOlderWorldAndStepsBackChangeNothing() {
    book.said(step(2, 0, 5));
    book.said(step(1, 0, 9));
    book.said(step(2, 0, 4));
    assertThat(book.next()).contains(step(2, 0, 5));
    book.answered(false);
    assertThat(settled()).isTrue();
    book.said(step(3, 0, 2));
    assertThat(book.next()).as("a newer world may be behind").contains(step(3, 0, 2));
  }

  @Test
  void whatWasLostIsSaidAgainAsTheNewest() {
    book.said(new Commit(0, 0, 1, Map.of("loss", 2.0, "lr", 0.1)));
    assertThat(book.next()).isPresent();
    book.said(new Commit(0, 1, 1, Map.of("loss", 1.0)));
    book.failed();
    assertThat(settled()).isFalse();
    assertThat(book.next()).contains(new Commit(0, 1, 1, Map.of("loss", 1.0, "lr", 0.1)));
  }

  @Test
  void nothingMoreOfAnOldWorldIsSaid() {
    book.said(step(1, 0, 0));
    assertThat(book.next()).isPresent();
    book.said(step(1, 0, 1));
    book.answered(true);
    assertThat(book.next()).isEmpty();
    assertThat(settled()).isTrue();
    book.said(step(2, 0, 0));
    assertThat(book.next()).isPresent();
    book.said(step(3, 0, 0));
    book.answered(true);
    assertThat(book.next()).as("a newer one counts").contains(step(3, 0, 0));
  }

  @Test
  void afterARestoreStepsMayGoBack() {
    book.said(step(1, 3, 7));
    assertThat(book.next()).isPresent();
    book.answered(false);
    book.forget();
    assertThat(settled()).isTrue();
    book.said(step(1, 0, 0));
    assertThat(book.next()).contains(step(1, 0, 0));
  }

  @Test
  void whateverHappensTheNewestOfTheNewestWorldArrives() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom chance = new SplittableRandom(seed);
    for (int run = 0; run < 2_000; run++) {
      StepBook tried = new StepBook();
      Commit newest = null;
      Commit arrived = null;
      Optional<Commit> underWay = Optional.empty();
      for (int i = 0; i < 200; i++) {
        if (i < 100 && chance.nextBoolean()) {
          Commit said = step(1 + chance.nextInt(3), chance.nextInt(2), chance.nextInt(9));
          newest = newest == null || said.isAfter(newest) ? said : newest;
          tried.said(said);
        }
        if (underWay.isPresent()) {
          if (chance.nextInt(3) == 0) {
            tried.failed();
          } else {
            arrived = underWay.get();
            tried.answered(false);
          }
          underWay = Optional.empty();
        } else {
          underWay = tried.next();
        }
        assertThat(tried.settledCount()).isLessThanOrEqualTo(tried.saidCount());
      }
      while (tried.next().isPresent()) {
        arrived = newest;
        tried.answered(false);
      }
      assertThat(arrived).isEqualTo(newest);
    }
  }
}

package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class MasterKeeperTest {
  private final Masters masters = new Masters();
  private final List<String> notes = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void startsAMasterAndSeesWhenItIsReady() throws IOException {
    MasterKeeper keeper = keeper();

    keeper.look();
    assertThat(masters.started).hasSize(1);
    assertThat(keeper.ready()).isFalse();

    masters.epoch = OptionalLong.of(1);
    keeper.look();
    assertThat(keeper.ready()).isTrue();
    assertThat(notes).isEmpty();
  }

  @Test
  void doesNotTakeAnEarlierMastersAddressForTheNewOnes() throws IOException {
    masters.epoch = OptionalLong.of(7);
    MasterKeeper keeper = keeper();

    keeper.look();
    keeper.look();
    assertThat(keeper.ready()).isFalse();

    masters.epoch = OptionalLong.of(8);
    keeper.look();
    assertThat(keeper.ready()).isTrue();
  }

  @Test
  void startsAnotherAtOnceWhenOneIsKilledAndSaysHowLongItTook() throws IOException {
    MasterKeeper keeper = readyKeeper();
    advance(Duration.ofMinutes(1));

    masters.last().exit(137);
    keeper.look();
    assertThat(keeper.ready()).isFalse();
    assertThat(masters.started).hasSize(2);
    advance(Duration.ofMillis(800));
    assertThat(keeper.away()).isEqualTo(Duration.ofMillis(800));
    masters.epoch = OptionalLong.of(2);
    keeper.look();

    assertThat(notes).containsExactly("master was killed (SIGKILL); epoch 2 took over after 0.8 s");
    assertThat(keeper.restarts()).isEqualTo(1);
    assertThat(keeper.away()).isEqualTo(Duration.ZERO);
  }

  @Test
  void givesUpOnAMasterThatCannotComeUp() throws IOException {
    MasterKeeper keeper = keeper();
    for (int i = 0; i < 1_000 && keeper.failure().isEmpty(); i++) {
      keeper.look();
      if (masters.started.size() > 0 && masters.last().isAlive()) {
        masters.last().exit(1);
      }
      advance(Duration.ofMillis(100));
    }

    assertThat(masters.started).hasSize(RestartPolicy.FUTILE_LIMIT);
    assertThat(keeper.failure())
        .hasValueSatisfying(failure ->
            assertThat(failure)
                .startsWith("the master died 10 times in a row without becoming ready")
                .endsWith("it failed with exit code 1"));
  }

  @Test
  void aMasterThatDiesAsSoonAsItIsReadyIsOfNoUse() throws IOException {
    MasterKeeper keeper = keeper();
    long epoch = 0;
    for (int i = 0; i < 1_000 && keeper.failure().isEmpty(); i++) {
      keeper.look();
      masters.epoch = OptionalLong.of(++epoch);
      keeper.look();
      if (masters.last().isAlive()) {
        masters.last().exit(1);
      }
      advance(Duration.ofMillis(100));
    }

    assertThat(keeper.failure()).isPresent();
  }

  @Test
  void endsAMasterThatIsNeverReady() throws IOException {
    MasterKeeper keeper = keeper();
    keeper.look();
    advance(MasterKeeper.START_BOUND.plusSeconds(1));

    keeper.look();

    assertThat(masters.last().isAlive()).isFalse();
    assertThat(notes).hasSize(1);
  }

  @Test
  void replacesAMasterThatLivesAndAnswersNobody() throws IOException {
    MasterKeeper keeper = readyKeeper();
    advance(MasterKeeper.SILENCE_BOUND.minusSeconds(1));
    keeper.answered();
    advance(MasterKeeper.SILENCE_BOUND);
    keeper.look();
    assertThat(masters.last().isAlive()).as("it answered in time").isTrue();

    advance(Duration.ofSeconds(1));
    keeper.look();
    assertThat(masters.last().isAlive()).isFalse();
    assertThat(notes).singleElement().asString().contains("has not answered for 15.0 s");

    keeper.look();
    keeper.look();
    assertThat(masters.started).hasSize(2);
  }

  @Test
  void stopsTheMasterInOrder() throws Exception {
    MasterKeeper keeper = readyKeeper();

    keeper.stop();

    assertThat(masters.last().isAlive()).isFalse();
    assertThat(masters.last().asked).isTrue();
  }

  private MasterKeeper keeper() {
    return new MasterKeeper(masters, () -> now, notes::add, () -> {});
  }

  private MasterKeeper readyKeeper() throws IOException {
    MasterKeeper keeper = keeper();
    keeper.look();
    masters.epoch = OptionalLong.of(1);
    keeper.look();
    return keeper;
  }

  private void advance(Duration duration) {
    now = now.plus(duration);
  }

  /// Masters that live and die as the test says.
  private static final class Masters implements MasterKeeper.Starter {
    private final List<HandProcess> started = new ArrayList<>();
    private OptionalLong epoch = OptionalLong.empty();

    @Override
    public Process start(Runnable onExit) {
      started.add(new HandProcess());
      return started.getLast();
    }

    @Override
    public OptionalLong writtenEpoch() {
      return epoch;
    }

    HandProcess last() {
      return started.getLast();
    }
  }

  /// A process that ends when it is told to.
  private static final class HandProcess extends Process {
    private boolean alive = true;
    private boolean asked;
    private int code;

    void exit(int exitCode) {
      alive = false;
      code = exitCode;
    }

    @Override
    public boolean isAlive() {
      return alive;
    }

    @Override
    public int exitValue() {
      if (alive) {
        throw new IllegalThreadStateException();
      }
      return code;
    }

    @Override
    public int waitFor() {
      return code;
    }

    @Override
    public void destroy() {
      asked = true;
      exit(143);
    }

    @Override
    public Process destroyForcibly() {
      exit(137);
      return this;
    }

    @Override
    public OutputStream getOutputStream() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public InputStream getErrorStream() {
      return InputStream.nullInputStream();
    }
  }
}

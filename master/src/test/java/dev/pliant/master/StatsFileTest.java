package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.stats.StatsCollector;
import dev.pliant.master.stats.StatsCollector.Sample;
import dev.pliant.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatsFileTest {
  private static final NodeId ENDED = new NodeId("worker", 0);
  private static final NodeId LIVES = new NodeId("worker", 1);

  @TempDir Path folder;

  @Test
  void theNextMasterKnowsWhatThisOneKnew() {
    StatsCollector before = new StatsCollector();
    before.collectNodeUsage(ENDED, new Sample(7, 0.5, 128), Map.of("train", 1_000L, "wait", 5L));
    before.collectNodeUsage(LIVES, new Sample(8, 1, 64), Map.of());
    file(before).write();

    StatsCollector next = new StatsCollector();
    next.collectNodeUsage(LIVES, new Sample(9, 2, 65), Map.of("train", 3L));
    file(next).recall();

    assertThat(next.node(ENDED)).isEqualTo(before.node(ENDED));
    assertThat(next.node(LIVES).orElseThrow().newest()).isEqualTo(new Sample(9, 2, 65));
  }

  @Test
  void isWrittenOnlyWhereSomethingHasChanged() throws IOException {
    StatsCollector stats = new StatsCollector();
    StatsFile written = file(stats);
    written.write();
    Files.delete(file());
    written.write();
    assertThat(file()).doesNotExist();
    stats.collectNodeUsage(ENDED, new Sample(7, 0.5, 128), Map.of());
    written.write();
    assertThat(file()).exists();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{}",
        "[]",
        "{\"nodes\":{\"no node\":{}}}",
        "{\"nodes\":{\"worker-0\":null}}",
        "{\"nodes\":{\"worker-0\":{\"cpu\":-1,\"activityMillis\":{}}}}",
        "{\"nodes\":{\"worker-0\":{\"cpu\":1,\"activityMillis\":{\"train\":null}}}}"
      })
  void aDamagedOneIsNoReasonNotToStart(String text) throws IOException {
    Files.writeString(file(), text);
    StatsCollector stats = new StatsCollector();

    file(stats).recall();

    assertThat(stats.nodes()).isEmpty();
  }

  @Test
  void aMasterThatWasTakenOverFromWritesNoMore() {
    StatsCollector stats = new StatsCollector();
    stats.collectNodeUsage(ENDED, new Sample(7, 0.5, 128), Map.of());

    new StatsFile(file(), stats, () -> false).write();

    assertThat(file()).doesNotExist();
  }

  private StatsFile file(StatsCollector stats) {
    return new StatsFile(file(), stats, () -> true);
  }

  private Path file() {
    return folder.resolve("stats.json");
  }
}

package dev.pliant.master.platform;

import static org.awaitility.Awaitility.await;

import dev.pliant.machine.nodes.LostJournal;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class NodeExecutorTest {
  private static final JobId JOB = new JobId("default", "digits");
  private static final NodeId NODE = new NodeId(NodeId.WORKER, 0);
  private static final JobPlan PLAN =
      new JobPlan(
          JOB,
          1,
          Strategy.LOCAL,
          Elasticity.NONE,
          new JobPlan.Workers(1, 1, 1, 3, NodeResources.UNBOUNDED),
          1,
          List.of("python3", "train.py"),
          Map.of(),
          "/",
          null,
          "",
          JobPlan.DEFAULT_LAST_CALL_MILLIS,
          List.of());

  /// Its first lists meet a fault that nobody foresaw.
  private record Faulty(NodeWatcher sound, AtomicInteger faults) implements NodeWatcher {
    @Override
    public List<NodeNews> list() throws IOException {
      if (faults.getAndDecrement() > 0) {
        throw new IllegalStateException("a pod that nobody can read");
      }
      return sound.list();
    }

    @Override
    public void watch(Consumer<NodeNews> news) {
      sound.watch(news);
    }

    @Override
    public void close() {
      sound.close();
    }
  }

  @Test
  void aFaultThatNobodyForesawDoesNotLeaveTheJobStanding() throws Exception {
    FakePlatform world = new FakePlatform();
    Platform.Opened opened = world.open(() -> true);
    Platform.Opened platform =
        new Platform.Opened(opened.scaler(), new Faulty(opened.watcher(), new AtomicInteger(2)));
    try (JobOwner owner =
            JobOwner.start(
                JOB,
                JournalStores.open(JournalLocation.memory(), JOB),
                JobOwner.Limits.DEFAULT,
                InstantSource.system());
        ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
        NodeExecutor executor =
            new NodeExecutor(owner, PLAN, LostJournal.NONE, platform, _ -> {}, timers)) {
      executor.start();

      await().atMost(Duration.ofSeconds(20)).until(() -> world.alive().contains(NODE));
    }
  }
}

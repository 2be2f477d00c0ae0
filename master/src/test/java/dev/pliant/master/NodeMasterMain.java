package dev.pliant.master;

import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/// A master as a process of its own, to be killed: FOLDER, then the agent's command.
public final class NodeMasterMain {
  private NodeMasterMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path folder = Path.of(arguments[0]);
    JobPlan plan = JobPlanFile.read(folder).orElseThrow();
    List<String> agent = List.of(arguments).subList(1, arguments.length);
    Master master =
        Master.start(
            MasterConfig.builder(plan.job(), folder)
                .heartbeatTimeout(Duration.ofHours(1))
                .nodes(MasterConfig.NodeConfig.local(plan, agent))
                .build(),
            InstantSource.system());
    PliantException why = master.awaitTermination();
    if (why != null) {
      throw why;
    }
  }
}

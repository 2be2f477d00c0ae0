package dev.pliant.cli;

import dev.pliant.kubernetes.Images;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.operator.OperatorConfig;
import dev.pliant.operator.PliantOperator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pliant operator`: hidden, because the chart starts it in a cluster.
@Command(
    name = "operator",
    hidden = true,
    description = {
      "Run the Kubernetes operator in the foreground, until it is told to end.",
      "",
      "It sees to the ElasticJobs of the cluster that it runs in, or that KUBECONFIG names: it"
          + " starts a master for each and makes the pods that the master asks for. What is not"
          + " given here is taken from the environment.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant operator --images pliant/master:0.1,pliant/agent:0.1",
      "  $ pliant operator --namespaces team-a,team-b --leader-election=false --health-port 9000",
    })
final class OperatorCommand implements Callable<Integer> {
  @Option(
      names = "--namespaces",
      paramLabel = "NAMES",
      description = "Whose jobs to see to (PLIANT_NAMESPACES; default: all namespaces').")
  @Nullable String namespaces;

  @Option(
      names = "--leader-election",
      paramLabel = "true|false",
      description =
          "Work only while holding the Lease pliant-operator (PLIANT_LEADER_ELECTION; default:"
              + " true).")
  @Nullable Boolean leaderElection;

  @Option(
      names = "--images",
      paramLabel = "MASTER,AGENT",
      description =
          "What masters and agents are started from (PLIANT_MASTER_IMAGE, PLIANT_AGENT_IMAGE).")
  @Nullable String images;

  @Option(
      names = "--health-port",
      paramLabel = "PORT",
      description =
          "Where /healthz, /readyz and /metrics answer; -1 for nowhere (PLIANT_HEALTH_PORT;"
              + " default: 8080).")
  @Nullable Integer healthPort;

  @Override
  public Integer call() throws InterruptedException {
    OperatorConfig config = OperatorConfig.of(environment(System.getenv()));
    PliantOperator operator = PliantOperator.start(config);
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  operator.close();
                  ended.countDown();
                },
                "stop"));
    ended.await();
    return 0;
  }

  /// What is given here goes before what the environment says.
  Map<String, String> environment(Map<String, String> outer) {
    Map<String, String> environment = new HashMap<>(outer);
    if (namespaces != null) {
      environment.put(OperatorConfig.NAMESPACES_VARIABLE, namespaces);
    }
    if (leaderElection != null) {
      environment.put(OperatorConfig.LEADER_ELECTION_VARIABLE, leaderElection.toString());
    }
    if (healthPort != null) {
      environment.put(OperatorConfig.HEALTH_PORT_VARIABLE, healthPort.toString());
    }
    if (images != null) {
      String[] both = images.split(",", -1);
      if (both.length != 2) {
        throw new PliantException(
            ErrorCode.BAD_MESSAGE,
            "--images is '%s'; give two with a comma between them: the master's and the agent's."
                .formatted(images));
      }
      environment.put(Images.MASTER_VARIABLE, both[0].strip());
      environment.put(Images.AGENT_VARIABLE, both[1].strip());
    }
    return environment;
  }
}

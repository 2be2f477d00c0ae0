package dev.pliant.master.platform.local;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// How a node is started: a shell that leads a session of its own claims the node, then becomes the
/// agent.
final class AgentCommandLine {
  private AgentCommandLine() {}

  static List<String> of(
      PlatformConfig config,
      NodeFiles files,
      DesiredNode desired,
      Path socket,
      Path variables,
      List<Path> groups) {
    NodeId node = desired.id();
    List<String> command = new ArrayList<>();
    setsid().ifPresent(setsid -> command.add(setsid.toString()));
    command.addAll(List.of("/bin/sh", "-c", Claim.SCRIPT, "pliant-node"));
    command.add(files.claim(node).toString());
    command.addAll(config.agentCommand());
    JobPlan plan = config.plan();
    command.addAll(List.of("agent", "--job-dir", config.folder().toString()));
    command.addAll(List.of("--job", plan.job().toString()));
    command.addAll(List.of("--node", node.toString(), "--role", node.role()));
    command.addAll(List.of("--workers", Integer.toString(plan.nprocPerNode())));
    command.addAll(List.of("--elasticity", plan.elasticity().word()));
    command.addAll(List.of("--max-workers", Integer.toString(plan.maxMembers())));
    command.addAll(List.of("--host", "127.0.0.1"));
    command.addAll(List.of("--cwd", plan.workingFolder()));
    command.addAll(List.of("--logs", files.logs().toString()));
    command.addAll(List.of("--env-file", variables.toString()));
    command.addAll(List.of("--socket", socket.toString()));
    command.addAll(List.of("--grace", Long.toString(config.grace().toSeconds())));
    command.addAll(List.of("--restarts", Integer.toString(desired.restarts())));
    command.addAll(List.of("--max-restarts", Integer.toString(plan.workers().restarts())));
    groups.forEach(group -> command.addAll(List.of("--cgroup", group.toString())));
    command.add("--");
    command.addAll(plan.command());
    return command;
  }

  /// Without such a command nodes stay in the master's session, where Ctrl-C of a terminal reaches
  /// them as well.
  private static Optional<Path> setsid() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(folder -> Path.of(folder, "setsid"))
        .filter(Files::isExecutable)
        .findFirst();
  }
}

package dev.pliant.master.platform.local;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What nodes that have ended left behind: their own words, else what their processes ended with.
record Farewells(NodeFiles files, ControlGroups groups, JobPlan plan) {
  private static final int KILLED = 137;
  private static final int TOLD_TO_GO = 143;

  NodeNews.Ended of(TrackedNode node) {
    if (node.claim.pid() == 0) {
      return new NodeNews.Ended(
          node.id, TOLD_TO_GO, false, null, "it was told to go before it started");
    }
    Optional<NodeFiles.Farewell> said = files.farewell(node.id);
    int code =
        said.map(NodeFiles.Farewell::code)
            .orElseGet(() -> node.child == null ? KILLED : node.child.exitValue());
    boolean outOfMemory = code != 0 && groups.outOfMemory(node.id);
    String message =
        said.map(NodeFiles.Farewell::message)
            .filter(text -> !text.isBlank())
            .orElseGet(() -> code == 0 ? "" : "exit code " + code);
    return new NodeNews.Ended(
        node.id,
        code,
        outOfMemory,
        said.map(NodeFiles.Farewell::reason).orElse(null),
        code == 0 || message.contains("\n") ? message : message + lastLines(node.id));
  }

  private String lastLines(NodeId node) {
    List<Path> logs = new ArrayList<>(files.workerLogs(node, plan));
    logs.add(files.agentLog(node));
    for (Path file : logs) {
      List<String> lines = LogEnd.of(file);
      if (!lines.isEmpty()) {
        return "; %s ends:\n  %s".formatted(file.getFileName(), String.join("\n  ", lines));
      }
    }
    return "";
  }
}

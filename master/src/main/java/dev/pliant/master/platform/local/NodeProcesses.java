package dev.pliant.master.platform.local;

import dev.pliant.model.NodeId;
import dev.pliant.model.ProcStat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Everything that a node has started: what is in its session, what it is an ancestor of, what has
/// its mark among its variables, and what is in its control group. A training process may have left
/// one of these, and hardly all.
final class NodeProcesses {
  /// The variable by which a node's processes are known.
  static final String MARK = "PLIANT_NODE_MARK";

  private NodeProcesses() {}

  static String mark(Path jobFolder, NodeId node) {
    return jobFolder + "#" + node;
  }

  /// Kills all of them, the agent first, so that it starts nothing in their place.
  ///
  /// @param grouped the pids in the node's control group
  /// @return how many there were
  static int kill(Claim claim, String mark, List<Long> grouped) {
    Set<Long> pids = new LinkedHashSet<>();
    if (claim.alive()) {
      pids.add(claim.pid());
    }
    pids.addAll(descendants(claim));
    pids.addAll(grouped);
    pids.addAll(marked(mark));
    pids.remove(ProcessHandle.current().pid());
    pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    return pids.size();
  }

  /// A session keeps its number for as long as anybody is in it, so it is never another's.
  private static List<Long> descendants(Claim claim) {
    List<ProcStat> all = MachineProcesses.all().stream().filter(ProcStat::alive).toList();
    Set<Long> found = new LinkedHashSet<>();
    if (claim.pid() != 0) {
      all.stream().filter(p -> p.session() == claim.pid()).forEach(p -> found.add(p.pid()));
    }
    boolean grown = !found.isEmpty();
    while (grown) {
      grown = false;
      for (ProcStat process : all) {
        grown |= found.contains(process.parent()) && found.add(process.pid());
      }
    }
    return new ArrayList<>(found);
  }

  private static List<Long> marked(String mark) {
    String variable = MARK + "=" + mark;
    List<Long> marked = new ArrayList<>();
    for (ProcStat process : MachineProcesses.all()) {
      if (process.alive() && variables(process.pid()).contains(variable)) {
        marked.add(process.pid());
      }
    }
    return marked;
  }

  private static List<String> variables(long pid) {
    try {
      byte[] bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "environ"));
      return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0"));
    } catch (IOException e) {
      return List.of(); // It is gone, or another user's.
    }
  }
}

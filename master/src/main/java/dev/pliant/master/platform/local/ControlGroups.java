package dev.pliant.master.platform.local;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bounds what a node's training processes use, by control groups of the kernel: version 1 (one
/// tree for each controller) or 2 (one for all). A group of the node's own is made below the
/// master's, so that what bounds the master bounds its nodes as well. Where that is not allowed, it
/// is said once, and nodes are not bounded.
///
/// The agent itself stays outside: only training processes count, and a process that runs out of
/// memory does not take the agent with it, which tells of it.
final class ControlGroups {
  private static final Logger log = LoggerFactory.getLogger(ControlGroups.class);
  private static final long PERIOD_MICROS = 100_000;

  private final String prefix;
  private final boolean unified;
  private final @Nullable Path memory;
  private final @Nullable Path cpu;
  private boolean noted;

  private ControlGroups(String prefix, boolean unified, @Nullable Path memory, @Nullable Path cpu) {
    this.prefix = prefix;
    this.unified = unified;
    this.memory = memory;
    this.cpu = cpu;
  }

  /// @param prefix with which the groups' names begin: the job's own on this machine
  static ControlGroups find(String prefix) {
    try {
      Mounts mounts =
          Mounts.parse(
              Files.readString(Path.of("/proc/self/mountinfo")),
              Files.readString(Path.of("/proc/self/cgroup")));
      Path memory = usable(mounts.versionOne("memory"), prefix);
      Path cpu = usable(mounts.versionOne("cpu"), prefix);
      if (memory != null || cpu != null) {
        return new ControlGroups(prefix, false, memory, cpu);
      }
      Path both = unified(mounts.unified(), prefix);
      return new ControlGroups(prefix, true, both, both);
    } catch (IOException e) {
      return new ControlGroups(prefix, true, null, null); // Not a Linux, or /proc is not there.
    }
  }

  /// Where groups lie, as the kernel tells a process.
  ///
  /// @param ownOne the own group of each controller of version 1
  record Mounts(Map<String, Path> ownOne, List<Path> ownTwo) {
    static Mounts parse(String mountinfo, String cgroup) {
      Map<String, Path> one = new LinkedHashMap<>();
      List<Path> two = new ArrayList<>();
      for (String line : mountinfo.lines().toList()) {
        String[] halves = line.split(" - ", 2);
        String[] left = halves[0].split(" ");
        String[] right = halves.length < 2 ? new String[0] : halves[1].split(" ");
        if (left.length < 5 || right.length < 3) {
          continue;
        }
        if (right[0].equals("cgroup")) {
          for (String controller : right[2].split(",")) {
            own(cgroup, ":" + controller + ":", left)
                .or(() -> own(cgroup, "," + controller + ":", left))
                .or(() -> own(cgroup, ":" + controller + ",", left))
                .ifPresent(path -> one.put(controller, path));
          }
        } else if (right[0].equals("cgroup2")) {
          own(cgroup, "0::", left).ifPresent(two::add);
          two.add(Path.of(left[4]));
        }
      }
      return new Mounts(one, two);
    }

    private static Optional<Path> own(String cgroup, String kind, String[] mount) {
      return cgroup
          .lines()
          .filter(line -> line.contains(kind))
          .map(line -> line.substring(line.indexOf(':', line.indexOf(':') + 1) + 1))
          .map(path -> Path.of(mount[4] + below(path, mount[3])))
          .findFirst();
    }

    /// A container sees its own part of the tree only.
    private static String below(String path, String root) {
      return root.equals("/") || !path.startsWith(root) ? path : path.substring(root.length());
    }

    List<Path> versionOne(String controller) {
      Path own = ownOne.get(controller);
      return own == null ? List.of() : List.of(own);
    }

    List<Path> unified() {
      return ownTwo;
    }
  }

  private static @Nullable Path usable(List<Path> candidates, String prefix) {
    for (Path candidate : candidates) {
      Path probe = candidate.resolve(prefix + "probe");
      try {
        Files.createDirectory(probe);
        Files.delete(probe);
        return candidate;
      } catch (IOException e) {
        log.debug("no groups below {}: {}", candidate, e.toString());
      }
    }
    return null;
  }

  /// In version 2 a group hands controllers down only if no process is in it, or if it is the root.
  private static @Nullable Path unified(List<Path> candidates, String prefix) {
    for (Path candidate : candidates) {
      try {
        Files.writeString(candidate.resolve("cgroup.subtree_control"), "+memory +cpu");
        Path found = usable(List.of(candidate), prefix);
        if (found != null) {
          return found;
        }
      } catch (IOException e) {
        log.debug("no controllers below {}: {}", candidate, e.toString());
      }
    }
    return null;
  }

  boolean canBoundMemory() {
    return memory != null;
  }

  /// Makes the groups that bound a node, and returns them: its processes are to be moved into each.
  List<Path> make(NodeId node, NodeResources resources) {
    List<Path> groups = new ArrayList<>();
    if (resources.memoryMib() > 0) {
      add(groups, memory, node, unified ? memoryTwo(resources) : memoryOne(resources));
    }
    if (resources.cpu() > 0) {
      add(groups, cpu, node, unified ? cpuTwo(resources) : cpuOne(resources));
    }
    return groups.stream().distinct().toList();
  }

  private void add(
      List<Path> groups, @Nullable Path parent, NodeId node, Map<String, String> settings) {
    if (parent == null) {
      if (!noted) {
        noted = true;
        log.warn(
            "this machine lets us make no control groups; nodes may use more than their limits say");
      }
      return;
    }
    Path group = parent.resolve(prefix + node);
    try {
      Files.createDirectories(group);
      for (Map.Entry<String, String> setting : settings.entrySet()) {
        Path file = group.resolve(setting.getKey());
        if (Files.exists(file)) {
          Files.writeString(file, setting.getValue());
        }
      }
      groups.add(group);
    } catch (IOException e) {
      log.warn("node {} is not bounded by {}: {}", node, group, e.toString());
    }
  }

  private static Map<String, String> memoryOne(NodeResources resources) {
    String bytes = Long.toString(resources.memoryMib() << 20);
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("memory.limit_in_bytes", bytes);
    // Else what does not fit would be swapped out instead.
    settings.put("memory.swappiness", "0");
    return settings;
  }

  private static Map<String, String> memoryTwo(NodeResources resources) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("memory.max", Long.toString(resources.memoryMib() << 20));
    settings.put("memory.swap.max", "0");
    return settings;
  }

  private static Map<String, String> cpuOne(NodeResources resources) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("cpu.cfs_period_us", Long.toString(PERIOD_MICROS));
    settings.put("cpu.cfs_quota_us", Long.toString(quotaMicros(resources)));
    return settings;
  }

  private static Map<String, String> cpuTwo(NodeResources resources) {
    return Map.of("cpu.max", "%d %d".formatted(quotaMicros(resources), PERIOD_MICROS));
  }

  private static long quotaMicros(NodeResources resources) {
    return Math.max(1_000, Math.round(resources.cpu() * PERIOD_MICROS));
  }

  /// Whether the kernel killed one of the node's processes for want of memory.
  boolean outOfMemory(NodeId node) {
    if (memory == null) {
      return false;
    }
    Path counters =
        memory.resolve(prefix + node).resolve(unified ? "memory.events" : "memory.oom_control");
    try {
      return Files.readString(counters)
          .lines()
          .filter(line -> line.startsWith("oom_kill "))
          .anyMatch(line -> Long.parseLong(line.substring("oom_kill ".length()).strip()) > 0);
    } catch (IOException e) {
      return false; // It had no group.
    }
  }

  /// The processes in a node's groups.
  List<Long> processes(NodeId node) {
    List<Long> processes = new ArrayList<>();
    for (Path group : groups(node)) {
      try {
        Files.readString(group.resolve("cgroup.procs"))
            .lines()
            .forEach(pid -> processes.add(Long.parseLong(pid)));
      } catch (IOException e) {
        log.debug("cannot read {}: {}", group, e.toString());
      }
    }
    return processes;
  }

  boolean exist(NodeId node) {
    return !groups(node).isEmpty();
  }

  /// Removes a node's groups; false where processes are left in them.
  boolean remove(NodeId node) {
    boolean removed = true;
    for (Path group : groups(node)) {
      try {
        Files.delete(group);
      } catch (IOException e) {
        removed = false;
      }
    }
    return removed;
  }

  private List<Path> groups(NodeId node) {
    List<Path> groups = new ArrayList<>();
    for (@Nullable Path parent : new Path[] {memory, cpu}) {
      if (parent != null && Files.isDirectory(parent.resolve(prefix + node))) {
        groups.add(parent.resolve(prefix + node));
      }
    }
    return groups.stream().distinct().toList();
  }
}

package dev.pliant.agent.processes;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What trees of processes use, from one look to the next. A process belongs to a tree where its
/// parent does, or where it is in the session that the tree's first process leads.
final class UsageMeter {
  private static final long PAGE_BYTES = 4_096;

  private record Identity(long pid, long startTicks) {}

  private Map<Identity, Long> ticksBefore = Map.of();
  private long lookedAt;

  UsageMeter(long now) {
    this.lookedAt = now;
  }

  /// What was used since the last look.
  ///
  /// @param roots the first process of each tree
  /// @param now in nanoseconds
  Usage look(Set<Long> roots, long now) {
    return look(roots, all(), now);
  }

  Usage look(Set<Long> roots, List<ProcStat> all, long now) {
    Map<Identity, Long> ticks = new HashMap<>();
    long used = 0;
    long pages = 0;
    for (ProcStat process : members(roots, all)) {
      Identity identity = new Identity(process.pid(), process.startTicks());
      ticks.put(identity, process.ticks());
      used += process.ticks() - ticksBefore.getOrDefault(identity, 0L);
      pages += process.pages();
    }
    double seconds = Math.max(1, now - lookedAt) / 1e9;
    ticksBefore = ticks;
    lookedAt = now;
    return new Usage(
        Math.max(0, used) / (double) ProcStat.TICKS_PER_SECOND / seconds,
        pages * PAGE_BYTES / (double) (1 << 20));
  }

  private static List<ProcStat> members(Set<Long> roots, List<ProcStat> all) {
    Set<Long> found = new HashSet<>(roots);
    List<ProcStat> members = new ArrayList<>();
    List<ProcStat> others = all;
    boolean grown = true;
    while (grown) {
      List<ProcStat> left = new ArrayList<>();
      grown = false;
      for (ProcStat process : others) {
        if (found.contains(process.pid())
            || found.contains(process.parent())
            || roots.contains(process.session())) {
          grown |= found.add(process.pid());
          members.add(process);
        } else {
          left.add(process);
        }
      }
      others = left;
    }
    return members;
  }

  private static List<ProcStat> all() {
    List<ProcStat> all = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(ProcStat.PROC, "[1-9]*")) {
      for (Path folder : folders) {
        Optional<ProcStat> stat = ProcStat.of(Long.parseLong(folder.getFileName().toString()));
        stat.ifPresent(all::add);
      }
    } catch (IOException | NumberFormatException _) {
      return all; // What was seen so far is better than nothing.
    }
    return all;
  }
}

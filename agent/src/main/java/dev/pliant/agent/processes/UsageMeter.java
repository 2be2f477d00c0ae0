package dev.pliant.agent.processes;

import dev.pliant.model.ProcStat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What trees of processes use, from one look to the next. A process belongs to a tree where its
/// parent does, or where it is in the session that the tree's first process leads.
///
/// A machine may have thousands of processes, and the training needs its processors: those that
/// belong to no tree are left out until the next look at the whole machine.
final class UsageMeter {
  private static final long PAGE_BYTES = 4_096;

  /// Each so many looks is at all processes of the machine.
  static final int WHOLE = 30;

  /// The processes of the machine.
  interface Machine {
    List<Long> pids();

    Optional<ProcStat> process(long pid);
  }

  private record Identity(long pid, long startTicks) {}

  private final Machine machine;
  private final Set<Long> strangers = new HashSet<>();
  private Map<Identity, Long> ticksBefore = Map.of();
  private long lookedAt;
  private int looks;

  UsageMeter(long now) {
    this(now, new ThisMachine());
  }

  UsageMeter(long now, Machine machine) {
    this.lookedAt = now;
    this.machine = machine;
  }

  /// What was used since the last look.
  ///
  /// @param roots the first process of each tree
  /// @param now in nanoseconds
  Usage look(Set<Long> roots, long now) {
    if (looks++ % WHOLE == 0) {
      strangers.clear();
    }
    strangers.removeAll(roots);
    Map<Identity, Long> ticks = new HashMap<>();
    long used = 0;
    long pages = 0;
    for (ProcStat process : members(roots, known())) {
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

  private List<ProcStat> known() {
    List<ProcStat> known = new ArrayList<>();
    List<Long> pids = machine.pids();
    strangers.retainAll(Set.copyOf(pids)); // The number of one that ended is given again.
    for (long pid : pids) {
      if (!strangers.contains(pid)) {
        machine.process(pid).ifPresent(known::add);
      }
    }
    return known;
  }

  private List<ProcStat> members(Set<Long> roots, List<ProcStat> all) {
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
    others.forEach(process -> strangers.add(process.pid()));
    return members;
  }

  private static final class ThisMachine implements Machine {
    @Override
    public List<Long> pids() {
      String[] names = ProcFiles.PROC.toFile().list();
      List<Long> pids = new ArrayList<>();
      for (String name : names == null ? new String[0] : names) {
        if (Character.isDigit(name.charAt(0))) {
          pids.add(Long.valueOf(name));
        }
      }
      return pids;
    }

    @Override
    public Optional<ProcStat> process(long pid) {
      return ProcFiles.of(pid);
    }
  }
}

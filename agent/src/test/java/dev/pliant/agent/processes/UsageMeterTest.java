package dev.pliant.agent.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ProcStat;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UsageMeterTest {
  private static final long SECOND = 1_000_000_000L;

  private final FakeMachine machine = new FakeMachine();
  private final UsageMeter meter = new UsageMeter(0, machine);

  private static ProcStat process(long pid, long parent, long session, long ticks) {
    return new ProcStat(pid, 'S', parent, session, ticks, 7, 256);
  }

  @Test
  void countsTheTreeAndTheSessionSinceTheLastLook() {
    machine.processes =
        List.of(
            process(12, 11, 9, 0),
            process(10, 1, 10, 100),
            process(11, 10, 9, 50),
            process(20, 1, 10, 10),
            process(30, 1, 30, 9_999));
    Usage usage = meter.look(Set.of(10L), 2 * SECOND);
    assertThat(usage.cores()).isEqualTo(0.8);
    assertThat(usage.memoryMib()).isEqualTo(4);
    machine.processes = List.of(process(10, 1, 10, 300));
    usage = meter.look(Set.of(10L), 3 * SECOND);
    assertThat(usage.cores()).isEqualTo(2.0);
    assertThat(usage.memoryMib()).isEqualTo(1);
  }

  @Test
  void looksSeldomAtProcessesOfOthersAndAtOnceAtNewOnes() {
    machine.processes = List.of(process(10, 1, 10, 0), process(30, 1, 30, 0));
    Usage unused = meter.look(Set.of(10L), SECOND);
    machine.processes =
        List.of(process(10, 1, 10, 0), process(30, 1, 30, 0), process(31, 10, 31, 50));
    assertThat(meter.look(Set.of(10L), 2 * SECOND).cores()).isEqualTo(0.5);
    assertThat(machine.read).containsExactly(10L, 30L, 10L, 31L);
    machine.read.clear();
    for (int i = 2; i < UsageMeter.WHOLE; i++) {
      unused = meter.look(Set.of(10L), (i + 1) * SECOND);
    }
    assertThat(machine.read).doesNotContain(30L);
    unused = meter.look(Set.of(10L), 99 * SECOND);
    assertThat(machine.read).contains(30L);
  }

  @Test
  void theNumberOfAStrangerThatEndedIsAnybodys() {
    machine.processes = List.of(process(10, 1, 10, 0), process(30, 1, 30, 0));
    Usage unused = meter.look(Set.of(10L), SECOND);
    machine.processes = List.of(process(10, 1, 10, 0));
    unused = meter.look(Set.of(10L), 2 * SECOND);
    machine.processes = List.of(process(10, 1, 10, 0), process(30, 10, 30, 50));
    assertThat(meter.look(Set.of(10L), 3 * SECOND).cores()).isEqualTo(0.5);
  }

  @Test
  void aStrangerThatIsATreesFirstProcessAfterAllIsCounted() {
    machine.processes = List.of(process(10, 1, 10, 0));
    assertThat(meter.look(Set.of(), SECOND).memoryMib()).isEqualTo(0);
    assertThat(meter.look(Set.of(10L), 2 * SECOND).memoryMib()).isEqualTo(1);
  }

  private static final class FakeMachine implements UsageMeter.Machine {
    final List<Long> read = new ArrayList<>();
    List<ProcStat> processes = List.of();

    @Override
    public List<Long> pids() {
      return processes.stream().map(ProcStat::pid).toList();
    }

    @Override
    public Optional<ProcStat> process(long pid) {
      read.add(pid);
      return processes.stream().filter(process -> process.pid() == pid).findFirst();
    }
  }

  @Test
  void readsProcessesOfThisMachine() {
    assertThat(ProcFiles.of(ProcessHandle.current().pid())).isPresent();
    assertThat(ProcFiles.stateOf(ProcessHandle.current().pid())).isIn('R', 'S');
    assertThat(ProcFiles.stateOf(Long.MAX_VALUE)).isEqualTo('X');
  }
}

package dev.pliant.agent.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UsageMeterTest {
  private static final long SECOND = 1_000_000_000L;

  private static ProcStat process(long pid, long parent, long session, long ticks) {
    return new ProcStat(pid, 'S', parent, session, ticks, 7, 256);
  }

  @Test
  void countsTheTreeAndTheSessionSinceTheLastLook() {
    UsageMeter meter = new UsageMeter(0);
    List<ProcStat> first =
        List.of(
            process(12, 11, 9, 0),
            process(10, 1, 10, 100),
            process(11, 10, 9, 50),
            process(20, 1, 10, 10),
            process(30, 1, 30, 9_999));
    Usage usage = meter.look(Set.of(10L), first, 2 * SECOND);
    assertThat(usage.cores()).isEqualTo(0.8);
    assertThat(usage.memoryMib()).isEqualTo(4);
    usage = meter.look(Set.of(10L), List.of(process(10, 1, 10, 300)), 3 * SECOND);
    assertThat(usage.cores()).isEqualTo(2.0);
    assertThat(usage.memoryMib()).isEqualTo(1);
  }

  @Test
  void readsNamesWithBracketsAndSpaces() {
    String line =
        "42 (a) (b c) T 7 42 41 0 -1 4194560 1 2 3 4 60 40 0 0 20 0 1 0 12345 1000 250 18446744073709551615";
    assertThat(ProcStat.parse(line)).contains(new ProcStat(42, 'T', 7, 41, 100, 12_345, 250));
    assertThat(ProcStat.parse("nonsense")).isEmpty();
    assertThat(ProcStat.of(ProcessHandle.current().pid())).isPresent();
  }
}

package dev.pliant.master.platform.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimIT {
  @TempDir Path folder;

  private Process start(Path claim, String... command) throws IOException {
    List<String> whole = new ArrayList<>(List.of("/bin/sh", "-c", Claim.SCRIPT, "claim"));
    whole.add(claim.toString());
    whole.addAll(List.of(command));
    return new ProcessBuilder(whole).redirectErrorStream(true).start();
  }

  @Test
  void ofManyThatClaimANodeAtOnceOneBecomesIt() throws Exception {
    Path claim = folder.resolve("worker-0.claim");
    List<Process> all = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      all.add(start(claim, "/bin/sh", "-c", "read line"));
    }
    int winners = 0;
    for (Process process : all) {
      if (Claim.read(claim).isEmpty() || process.pid() != winner(claim)) {
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      }
      winners += process.isAlive() ? 1 : 0;
    }
    assertThat(winners).isEqualTo(1);
    assertThat(all.stream().filter(p -> !p.isAlive()))
        .hasSize(15)
        .allMatch(p -> p.exitValue() == Claim.TAKEN);
    Claim won = Claim.read(claim).orElseThrow();
    assertThat(won.alive()).isTrue();
    for (Process process : all) {
      if (process.pid() == won.pid()) {
        process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
      }
    }
    assertThat(won.alive()).isFalse();
    try (var files = Files.list(folder)) {
      assertThat(files).as("nothing is left aside").containsExactly(claim);
    }
  }

  private static long winner(Path claim) throws IOException {
    return Claim.read(claim).orElseThrow().pid();
  }

  @Test
  void aClaimOfAnotherBootOrOfAnotherProcessIsDead() throws IOException {
    Path claim = folder.resolve("worker-0.claim");
    long pid = ProcessHandle.current().pid();
    ProcStat self = ProcStat.of(pid).orElseThrow();
    String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();

    Files.writeString(claim, "%d %d %s\n".formatted(pid, self.startTicks(), boot));
    assertThat(Claim.read(claim).orElseThrow().alive()).isTrue();
    Files.writeString(claim, "%d %d %s\n".formatted(pid, self.startTicks() + 1, boot));
    assertThat(Claim.read(claim).orElseThrow().alive()).isFalse();
    Files.writeString(claim, "%d %d %s\n".formatted(pid, self.startTicks(), "yesterday"));
    assertThat(Claim.read(claim).orElseThrow().alive()).isFalse();
  }

  @Test
  void whatIsPreventedIsNeverStarted() throws Exception {
    Path claim = folder.resolve("worker-0.claim");

    assertThat(Claim.prevent(claim)).isTrue();
    assertThat(Claim.prevent(claim)).isFalse();
    Process late = start(claim, "true");

    assertThat(late.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(late.exitValue()).isEqualTo(Claim.TAKEN);
    assertThat(Claim.read(claim).orElseThrow().alive()).isFalse();
  }

  @Test
  void aDamagedClaimIsSaid() throws IOException {
    Path claim = folder.resolve("worker-0.claim");
    Files.writeString(claim, "not a claim\n");

    assertThatThrownBy(() -> Claim.read(claim)).hasMessageContaining("is no claim of a node");
  }
}

package dev.pliant.master.platform.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pliant.model.ProcStat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
    Claim won = await().until(() -> Claim.read(claim), Optional::isPresent).orElseThrow();
    for (Process process : all) {
      if (process.pid() != won.pid()) {
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(Claim.TAKEN);
      }
    }
    assertThat(all.stream().filter(Process::isAlive))
        .singleElement()
        .returns(won.pid(), Process::pid);
    assertThat(won.alive()).isTrue();
    await("nothing is left aside").until(() -> files().equals(List.of(claim)));
    for (Process process : all) {
      if (process.pid() == won.pid()) {
        process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
      }
    }
    assertThat(won.alive()).isFalse();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void aClaimOfAnotherBootOrOfAnotherProcessIsDead() throws IOException {
    Path claim = folder.resolve("worker-0.claim");
    long pid = ProcessHandle.current().pid();
    ProcStat self = MachineProcesses.of(pid).orElseThrow();
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

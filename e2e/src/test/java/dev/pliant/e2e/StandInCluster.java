package dev.pliant.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/// Scripts of `e2e/cluster` themselves, in a tree and with a state of their own. The cluster that
/// they deal with is a stand-in: one that is up is a file, its parts are programs that do nothing,
/// and the rules of its packet filter are files as well.
final class StandInCluster implements AutoCloseable {
  private static final String UP =
      """
      #!/usr/bin/env bash
      . "$(dirname "$0")/settings.sh"
      echo up >>"$cache/said"
      mkdir -p "$run"
      touch "$run/half"
      [ ! -e "$cache/broken" ] || fail "there is no go"
      touch "$run/up" "$admin"
      """;

  private static final String DOWN =
      """
      #!/usr/bin/env bash
      . "$(dirname "$0")/settings.sh"
      echo down >>"$cache/said"
      rm -rf "$run"
      """;

  private static final String KUBE =
      """
      #!/usr/bin/env bash
      here=$(dirname "$0")
      case $* in
        *readyz*) [ -e "$here/run/up" ] ;;
        *" get deployments"*) cat "$here/installed" 2>/dev/null || true ;;
        *" delete -k "*) echo uninstall >>"$here/said"; rm "$here/installed" ;;
        *" delete nodes "*) echo "delete nodes" >>"$here/said" ;;
      esac
      """;

  /// Enters no network: that of the machine's real cluster would be the one that is named.
  private static final String NSENTER =
      """
      #!/usr/bin/env bash
      here=$XDG_CACHE_HOME/pliant/kubernetes
      case $* in
        *"iptables -w -S") cat "$here/jump" "$here/chain" 2>/dev/null || true ;;
        *"iptables -w -D FORWARD -j PLIANT-POLICIES") rm "$here/jump" ;;
        *"iptables -w -F PLIANT-POLICIES") ;;
        *"iptables -w -X PLIANT-POLICIES") [ ! -e "$here/jump" ] && rm "$here/chain" ;;
        *) exit 2 ;;
      esac
      """;

  private static final String ROOT = "#!/bin/sh\necho 0\n";

  private final Path folder;
  private final List<Process> parts = new ArrayList<>();

  private StandInCluster(Path folder) {
    this.folder = folder;
  }

  static StandInCluster in(Path folder) throws IOException {
    StandInCluster cluster = new StandInCluster(folder);
    Files.createDirectories(cluster.state());
    Files.createDirectories(cluster.script(""));
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path real = Commands.root().resolve("e2e/cluster");
    for (String name : List.of("for-tests", "settings.sh", "simulate", "stop")) {
      Files.copy(real.resolve(name), cluster.script(name));
    }
    program(cluster.script("up"), UP);
    program(cluster.script("down"), DOWN);
    program(cluster.state().resolve("kube"), KUBE);
    program(bin.resolve("nsenter"), NSENTER);
    program(bin.resolve("id"), ROOT);
    return cluster;
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// What scripts are to be called with.
  Map<String, String> environment() {
    return Map.of(
        "XDG_CACHE_HOME",
        folder.resolve("cache").toString(),
        "PATH",
        folder.resolve("bin") + ":" + System.getenv("PATH"));
  }

  Path state() {
    return folder.resolve("cache/pliant/kubernetes");
  }

  Path script(String name) {
    return folder.resolve("tree/e2e/cluster").resolve(name);
  }

  /// By which tests find the cluster.
  Path kubeconfig() {
    return folder.resolve("tree/target/kubeconfig");
  }

  /// What was done to it.
  List<String> said() throws IOException {
    Path said = state().resolve("said");
    return Files.exists(said) ? Files.readAllLines(said) : List.of();
  }

  void bringUp() throws IOException {
    Files.createFile(Files.createDirectories(state().resolve("run")).resolve("up"));
  }

  /// Puts the rules in force that `enforce` makes.
  void enforce() throws IOException {
    Files.writeString(state().resolve("jump"), "-A FORWARD -j PLIANT-POLICIES\n");
    Files.writeString(state().resolve("chain"), "-N PLIANT-POLICIES\n");
  }

  /// Has nobody read or change rules any more.
  void breakFilter() throws IOException {
    program(folder.resolve("bin/nsenter"), "#!/bin/sh\nexit 1\n");
  }

  /// Whether no rule is left.
  boolean isOpen() {
    return Files.notExists(state().resolve("jump")) && Files.notExists(state().resolve("chain"));
  }

  /// Starts a part that ends when it is asked to.
  Process part(String name) throws IOException {
    return start(name, "exec tail -f \"$0\"");
  }

  /// Starts a part that has to be killed.
  Process deafPart(String name) throws IOException {
    Process part = start(name, "trap '' TERM; echo deaf >\"$0\"; exec tail -f \"$0\"");
    Path log = state().resolve("run/log").resolve(name);
    Awaitility.await("deafness of " + name).until(() -> Files.size(log) > 0);
    return part;
  }

  /// A part is known by its pid, and by the folder that it names.
  private Process start(String name, String program) throws IOException {
    Path log = Files.createDirectories(state().resolve("run/log")).resolve(name);
    Files.writeString(log, "");
    // In a session of its own, like a real one.
    Process part =
        new ProcessBuilder("setsid", "bash", "-c", program, log.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    parts.add(part);
    Path pid = Files.createDirectories(state().resolve("run/pid")).resolve(name);
    Files.writeString(pid, part.pid() + "\n");
    return part;
  }

  /// How many processes of its `for-tests` there are, whatever it was told to do.
  long callsForTests() {
    String call = script("for-tests") + " ";
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(call))
        .count();
  }

  @Override
  public void close() {
    parts.forEach(Process::destroyForcibly);
  }
}

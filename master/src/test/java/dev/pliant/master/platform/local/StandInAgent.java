package dev.pliant.master.platform.local;

import dev.pliant.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// A small real program that does what the local platform sees of an agent: starts the command in
/// the node's control groups with its output in a log, says that it runs, passes SIGTERM on, and
/// says what it ended with. Each start is noted, so that a second one would show.
public final class StandInAgent {
  private static final String SCRIPT =
      """
      #!/bin/sh
      shift
      groups=
      while [ "$1" != -- ]; do
        case $1 in
          --job-dir) dir=$2 ;;
          --node) node=$2 ;;
          --cgroup) groups="$groups $2" ;;
        esac
        shift 2
      done
      shift
      echo "$node $$" >>"$dir/starts"
      told=
      trap 'told=1; kill -TERM $child' TERM
      NODE=$node /bin/sh -c 'for g in $0; do echo $$ >"$g/cgroup.procs"; done; exec "$@"' \\
        "$groups" "$@" >>"$dir/logs/$node.log" 2>&1 &
      child=$!
      echo "{\\"node\\":\\"$node\\",\\"pid\\":$$,\\"startMillis\\":0}" >"$dir/nodes/$node.tmp"
      mv "$dir/nodes/$node.tmp" "$dir/nodes/$node.json"
      wait $child; code=$?
      while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
      [ -z "$told" ] || code=0
      reason=$([ -z "$told" ] || echo drained)
      echo "{\\"code\\":$code,\\"reason\\":\\"$reason\\",\\"message\\":\\"\\"}" >"$dir/nodes/$node.tmp"
      mv "$dir/nodes/$node.tmp" "$dir/nodes/$node.exit.json"
      exit $code
      """;

  private StandInAgent() {}

  /// Writes the program, and returns how it is started.
  public static List<String> in(Path folder) throws IOException {
    Path script = folder.resolve("agent.sh");
    Files.writeString(script, SCRIPT);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return List.of("/bin/sh", script.toString());
  }

  /// Each start of a node: its name and the agent's pid.
  public static List<String> starts(Path jobFolder) throws IOException {
    Path file = jobFolder.resolve("starts");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  /// Whether this machine lets the platform bound a node's memory.
  public static boolean canBoundMemory() {
    return ControlGroups.find("pliant-probe-").canBoundMemory();
  }

  /// Nodes that were started and still have control groups.
  public static List<NodeId> groupsLeft(Path jobFolder) throws IOException {
    ControlGroups groups = ControlGroups.find(LocalNodes.groupPrefix(jobFolder));
    return starts(jobFolder).stream()
        .map(line -> NodeId.parse(line.split(" ")[0]))
        .filter(groups::exist)
        .toList();
  }
}

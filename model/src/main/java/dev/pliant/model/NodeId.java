package dev.pliant.model;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// A node of a job, by its role and number: `worker-0`. Numbers only ever grow; a node that
/// replaces another has a number of its own.
public record NodeId(String role, int number) implements Comparable<NodeId> {
  /// The role that every job has.
  public static final String WORKER = "worker";

  // Without a dash, so that a node's name is never mistaken for that of one of its workers.
  private static final Pattern NAME = Pattern.compile("([a-z][a-z0-9]{0,62})-(0|[1-9]\\d{0,8})");

  public NodeId {
    if (!NAME.matcher(role + "-" + number).matches()) {
      throw bad(role + "-" + number);
    }
  }

  /// Reads `ROLE-NUMBER`.
  public static NodeId parse(String name) {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches()) {
      throw bad(name);
    }
    return new NodeId(parts.group(1), Integer.parseInt(parts.group(2)));
  }

  /// The workers that run on the node: of its own name where it is one, else `NODE-LOCALRANK`.
  public List<WorkerId> workers(int nprocPerNode) {
    return nprocPerNode == 1
        ? List.of(new WorkerId(toString()))
        : IntStream.range(0, nprocPerNode)
            .mapToObj(local -> new WorkerId(this + "-" + local))
            .toList();
  }

  @Override
  public int compareTo(NodeId other) {
    int byRole = role.compareTo(other.role);
    return byRole != 0 ? byRole : Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return role + "-" + number;
  }

  private static PliantException bad(String name) {
    return new PliantException(
        ErrorCode.BAD_NAME,
        "'%s' is no node; a node is ROLE-NUMBER, for instance worker-0."
            .formatted(name.replaceAll("\\p{Cntrl}", "?")));
  }
}

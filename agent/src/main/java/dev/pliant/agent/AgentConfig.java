package dev.pliant.agent;

import dev.pliant.agent.processes.TrainingProcesses.Printing;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.rpc.MasterLocation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// What an agent is to do.
///
/// @param node this node's name, unique in the job
/// @param master where the master is to be found
/// @param socket where training processes find the agent
/// @param leaseAhead shards to hold ahead of each process, at most: 0 to [#MAX_LEASE_AHEAD]
/// @param workers the training processes to start, or none where others start them
public record AgentConfig(
    JobId job,
    String node,
    MasterLocation master,
    Path socket,
    int leaseAhead,
    Optional<Workers> workers) {

  public static final int DEFAULT_LEASE_AHEAD = 8;
  public static final int MAX_LEASE_AHEAD = 1_024;

  /// What fits into the address of a Unix socket.
  private static final int MAX_SOCKET_BYTES = 107;

  public AgentConfig {
    String name = new WorkerId(node).value();
    if (name.indexOf('/') >= 0 || name.startsWith(".")) {
      throw new PliantException(
          ErrorCode.BAD_NAME,
          "the name of a node, '%s', may not hold '/' or begin with '.': logs are named by it."
              .formatted(name));
    }
    if (leaseAhead < 0 || leaseAhead > MAX_LEASE_AHEAD) {
      throw new IllegalArgumentException(
          "%d shards to lease ahead; 0 to %d are allowed".formatted(leaseAhead, MAX_LEASE_AHEAD));
    }
    socket = socket.toAbsolutePath();
    int bytes = socket.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_SOCKET_BYTES) {
      throw new IllegalArgumentException(
          "the socket's path has %d bytes, at most %d are possible; choose a shorter one: %s"
              .formatted(bytes, MAX_SOCKET_BYTES, socket));
    }
  }

  /// The training processes of a node.
  ///
  /// @param count how many: 1 to [#MAX_COUNT]
  /// @param command the program and its arguments
  /// @param environment variables beside those that the agent itself has
  /// @param folder where they run
  /// @param logs where each leaves what it prints, as WORKER.log
  /// @param printing whether the agent prints it too
  /// @param pythonPackage the folder to put in front of PYTHONPATH, in which `pliant` is found
  /// @param elasticity how they take a change of their group
  /// @param maxWorkers the most members that a world of this job may have
  /// @param host under which other nodes reach this one
  /// @param role the node's role
  /// @param grace how long they may take to end by themselves when the node is to go
  /// @param cgroups the control groups that each of them is put into
  /// @param restarts how many failures of the node's line came before it
  /// @param maxRestarts how many there may be
  public record Workers(
      int count,
      List<String> command,
      Map<String, String> environment,
      Path folder,
      Path logs,
      Printing printing,
      Path pythonPackage,
      Elasticity elasticity,
      int maxWorkers,
      String host,
      String role,
      Duration grace,
      List<Path> cgroups,
      int restarts,
      int maxRestarts) {

    public static final int MAX_COUNT = 1_024;

    public Workers {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
      cgroups = List.copyOf(cgroups);
      if (count < 1 || count > MAX_COUNT) {
        throw new IllegalArgumentException(
            "%d workers on one node; 1 to %d are allowed".formatted(count, MAX_COUNT));
      }
      if (command.isEmpty() || command.getFirst().isBlank()) {
        throw new IllegalArgumentException("the workers' command is empty");
      }
      if (host.isBlank()) {
        throw new IllegalArgumentException("the node's host is empty");
      }
      if (maxWorkers < 1) {
        throw new IllegalArgumentException(
            "a world of at most %d workers cannot be".formatted(maxWorkers));
      }
      for (String name : environment.keySet()) {
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
          throw new IllegalArgumentException(
              "'%s' cannot be the name of an environment variable".formatted(name));
        }
      }
    }

    /// Their names: the node's own where there is one, else NODE-LOCALRANK.
    public List<WorkerId> names(String node) {
      return count == 1
          ? List.of(new WorkerId(node))
          : IntStream.range(0, count).mapToObj(i -> new WorkerId(node + "-" + i)).toList();
    }
  }
}

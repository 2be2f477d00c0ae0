package dev.pliant.agent.processes;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.world.Placement;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The variables of a training process: the agent's own, the job's, those by which it finds its
/// agent, and what torchrun would set. What a user has set is left as it is, but for the names by
/// which a process finds its agent and its group.
public final class ProcessEnvironment {
  public static final String SOCKET = "PLIANT_SOCKET";
  public static final String WORKER = "PLIANT_WORKER";
  public static final String JOB = "PLIANT_JOB";
  public static final String HOST = "PLIANT_HOST";
  public static final String MAX_WORKERS = "PLIANT_MAX_WORKERS";

  /// Which of the agent's variables, with commas between, are for itself: a training gets its
  /// memory as any other program does.
  public static final String AGENT_ONLY = "PLIANT_AGENT_ONLY";

  private static final String DEVICES = "CUDA_VISIBLE_DEVICES";

  private final JobId job;
  private final Path socket;
  private final Workers workers;
  private final Map<String, String> inherited;

  /// @param inherited the agent's own variables
  public ProcessEnvironment(
      JobId job, Path socket, Workers workers, Map<String, String> inherited) {
    this.job = job;
    this.socket = socket;
    this.workers = workers;
    this.inherited = without(inherited);
  }

  private static Map<String, String> without(Map<String, String> agents) {
    Map<String, String> others = new TreeMap<>(agents);
    String own = others.remove(AGENT_ONLY);
    if (own != null) {
      List.of(own.split(",")).forEach(others::remove);
    }
    return others;
  }

  /// The variables of one process.
  ///
  /// @param index which of the node's processes it is
  /// @param placement where it stands in its world, where the agent knows that before it starts
  public Map<String, String> of(WorkerId worker, int index, Optional<Placement> placement) {
    Map<String, String> all = new TreeMap<>(inherited);
    all.putAll(workers.environment());
    putFirst(all, "PYTHONPATH", workers.pythonPackage().toString());
    all.putIfAbsent("PYTHONUNBUFFERED", "1");
    if (workers.count() > 1) {
      all.putIfAbsent("OMP_NUM_THREADS", "1"); // As torchrun: else they fight for the cores.
    }
    if (isLoopback(workers.host())) {
      all.putIfAbsent("GLOO_SOCKET_IFNAME", "lo"); // Else gloo resolves the machine's own name.
    }
    all.put(SOCKET, socket.toString());
    all.put(WORKER, worker.value());
    all.put(JOB, job.toString());
    all.put(HOST, workers.host());
    all.put(MAX_WORKERS, Integer.toString(workers.maxWorkers()));
    if (placement.isPresent()) {
      all.putAll(torchrun(placement.get()));
      all.putIfAbsent("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
    } else {
      shareDevices(all, index);
    }
    return all;
  }

  private static void putFirst(Map<String, String> all, String name, String folder) {
    String others = all.getOrDefault(name, "");
    all.put(name, folder + (others.isEmpty() ? "" : File.pathSeparator + others));
  }

  private Map<String, String> torchrun(Placement placement) {
    int colon = placement.address().lastIndexOf(':');
    Map<String, String> variables = new TreeMap<>();
    variables.put("RANK", Integer.toString(placement.rank()));
    variables.put("WORLD_SIZE", Integer.toString(placement.size()));
    variables.put("LOCAL_RANK", Integer.toString(placement.localRank()));
    variables.put("LOCAL_WORLD_SIZE", Integer.toString(placement.localSize()));
    variables.put("GROUP_RANK", Integer.toString(placement.nodeRank()));
    variables.put("GROUP_WORLD_SIZE", Integer.toString(placement.nodes()));
    variables.put("ROLE_RANK", Integer.toString(placement.rank()));
    variables.put("ROLE_WORLD_SIZE", Integer.toString(placement.size()));
    variables.put("ROLE_NAME", workers.role());
    variables.put("MASTER_ADDR", placement.address().substring(0, colon));
    variables.put("MASTER_PORT", placement.address().substring(colon + 1));
    variables.put("TORCHELASTIC_RESTART_COUNT", Integer.toString(workers.restarts()));
    variables.put("TORCHELASTIC_MAX_RESTARTS", Integer.toString(workers.maxRestarts()));
    variables.put("TORCHELASTIC_RUN_ID", job.toString());
    variables.put("TORCHELASTIC_USE_AGENT_STORE", "False");
    return variables;
  }

  /// Each process its share of the node's GPUs, where there are any and they can be shared out
  /// evenly. A process that knows its rank picks one of them by itself, as under torchrun.
  private void shareDevices(Map<String, String> all, int index) {
    List<String> devices = new ArrayList<>();
    for (String device : all.getOrDefault(DEVICES, "").split(",", -1)) {
      if (!device.isBlank()) {
        devices.add(device.strip());
      }
    }
    int each = devices.size() / workers.count();
    if (each > 0 && workers.count() > 1) {
      all.put(DEVICES, String.join(",", devices.subList(index * each, (index + 1) * each)));
    }
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.equals("::1")
        || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }
}

package dev.pliant.autoscaling.job.local;

import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.NodeUsage;
import dev.pliant.autoscaling.job.OptimizerInput;
import dev.pliant.autoscaling.job.UsageRecord;
import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The newest samples that belong together. Of parameter servers a record counts if its set of them
/// is the newest one's and all their values can be; of workers if their number is the newest one's.
/// There, a value that cannot be is left out alone.
///
/// @param servers what each parameter server used, by node
/// @param serverCpuPerWorker mean over the records of (cores of all servers) / workers; NaN where
///   none counts
/// @param workers the number of workers, the chief included
/// @param workerCpu mean cores of a worker; NaN where no value counts
/// @param workerMemoryMib the most memory of a worker; NaN where no value counts
/// @param records how many records there are
record UsageWindow(
    SortedMap<NodeId, ServerLoad> servers,
    double serverCpuPerWorker,
    int workers,
    double workerCpu,
    double workerMemoryMib,
    int records) {

  private static final UsageWindow EMPTY =
      new UsageWindow(Collections.emptySortedMap(), Double.NaN, 0, Double.NaN, Double.NaN, 0);

  /// What one parameter server used.
  ///
  /// @param configuredCpu the cores that it has by the newest record; 0 for any number
  /// @param meanCpu the mean over the records
  /// @param maxUtilisation the highest share of its cores in one record; 0 where it has no bound
  /// @param maxMemoryMib the highest of the records
  record ServerLoad(
      double configuredCpu, double meanCpu, double maxUtilisation, double maxMemoryMib) {

    /// The share of its cores that it uses in the mean.
    double meanUtilisation() {
      return configuredCpu > 0 ? meanCpu / configuredCpu : 0;
    }
  }

  static UsageWindow of(OptimizerInput input, int samples) {
    List<UsageRecord> records = newest(input.statistics(), samples, input);
    if (records.isEmpty()) {
      return EMPTY;
    }
    UsageRecord newest = records.getLast();
    Servers servers = new Servers(serverIds(newest));
    Workers workers = new Workers(newest.workers());
    for (UsageRecord record : records) {
      servers.add(record);
      workers.add(record);
    }
    return new UsageWindow(
        servers.loads(newest),
        servers.cpuPerWorker(),
        workers.count,
        workers.values == 0 ? Double.NaN : workers.cpu / workers.values,
        workers.values == 0 ? Double.NaN : workers.maxMemoryMib,
        records.size());
  }

  private static List<UsageRecord> newest(
      JobStatistics statistics, int samples, OptimizerInput input) {
    List<UsageRecord> records = new ArrayList<>();
    for (UsageRecord record : statistics.usage()) {
      if (record.atMillis() > input.sinceMillis() && record.atMillis() <= input.nowMillis()) {
        records.add(record);
      }
    }
    records.sort(Comparator.comparingLong(UsageRecord::atMillis));
    return records.subList(Math.max(0, records.size() - samples), records.size());
  }

  private static List<NodeId> serverIds(UsageRecord record) {
    List<NodeId> ids = new ArrayList<>();
    for (NodeUsage node : record.nodes()) {
      if (node.isServer()) {
        ids.add(node.node());
      }
    }
    Collections.sort(ids);
    return ids;
  }

  boolean knowsServers() {
    return !servers.isEmpty();
  }

  boolean knowsWorkers() {
    return workers > 0 && !Double.isNaN(workerCpu);
  }

  /// What one worker uses, of its own and of the servers.
  double cpuPerWorker() {
    return serverCpuPerWorker + workerCpu;
  }

  /// The highest share of its cores that a parameter server used.
  double maxServerUtilisation() {
    double max = 0;
    for (ServerLoad load : servers.values()) {
      max = Math.max(max, load.maxUtilisation);
    }
    return max;
  }

  private static final class Servers {
    private final List<NodeId> ids;
    private final SortedMap<NodeId, Sum> sums = new TreeMap<>();
    private double cpuPerWorker;
    private int recordsWithWorkers;
    private int records;

    private static final class Sum {
      double cpu;
      double maxUtilisation;
      double maxMemoryMib;
    }

    Servers(List<NodeId> ids) {
      this.ids = ids;
    }

    void add(UsageRecord record) {
      if (ids.isEmpty() || !ids.equals(serverIds(record)) || !allUsable(record)) {
        return;
      }
      records++;
      double all = 0;
      for (NodeUsage node : record.nodes()) {
        if (node.isServer()) {
          all += node.cpu();
          add(node);
        }
      }
      int workers = record.workers();
      if (workers > 0) {
        recordsWithWorkers++;
        cpuPerWorker += all / workers;
      }
    }

    private static boolean allUsable(UsageRecord record) {
      for (NodeUsage node : record.nodes()) {
        if (node.isServer() && !node.isUsable()) {
          return false;
        }
      }
      return true;
    }

    private void add(NodeUsage server) {
      Sum sum = sums.computeIfAbsent(server.node(), _ -> new Sum());
      sum.cpu += server.cpu();
      sum.maxMemoryMib = Math.max(sum.maxMemoryMib, server.memoryMib());
      if (server.configured().cpu() > 0) {
        sum.maxUtilisation = Math.max(sum.maxUtilisation, server.cpu() / server.configured().cpu());
      }
    }

    SortedMap<NodeId, ServerLoad> loads(UsageRecord newest) {
      SortedMap<NodeId, ServerLoad> loads = new TreeMap<>();
      for (NodeUsage node : newest.nodes()) {
        @Nullable Sum sum = node.isServer() ? sums.get(node.node()) : null;
        if (sum != null) {
          loads.put(
              node.node(),
              new ServerLoad(
                  node.configured().cpu(),
                  sum.cpu / records,
                  sum.maxUtilisation,
                  sum.maxMemoryMib));
        }
      }
      return loads;
    }

    double cpuPerWorker() {
      return recordsWithWorkers == 0 ? Double.NaN : cpuPerWorker / recordsWithWorkers;
    }
  }

  private static final class Workers {
    private final int count;
    private double cpu;
    private double maxMemoryMib;
    private long values;

    Workers(int count) {
      this.count = count;
    }

    void add(UsageRecord record) {
      if (record.workers() != count) {
        return;
      }
      for (NodeUsage node : record.nodes()) {
        if (node.isWorker() && node.isUsable()) {
          cpu += node.cpu();
          maxMemoryMib = Math.max(maxMemoryMib, node.memoryMib());
          values++;
        }
      }
    }
  }
}

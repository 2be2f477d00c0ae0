package dev.pliant.autoscaling.job;

import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;

/// Every constant that sizes of jobs are planned with. Each has a default and bounds; one beyond
/// its bounds is refused with its name.
///
/// @param size what holds around every optimiser
/// @param local what the local optimiser computes with
/// @param pacing when plans are made
/// @param group how jobs without parameter servers grow and shrink
/// @param memory when nodes get more memory before they run out of it
/// @param outcome how the outcome of a plan is judged
/// @param batch when a larger batch is suggested
/// @param stalls when shards are late, workers slow and jobs hang
public record AutoScalingSettings(
    SizeSettings size,
    LocalSettings local,
    PacingSettings pacing,
    GroupSettings group,
    MemorySettings memory,
    OutcomeSettings outcome,
    BatchSettings batch,
    StallSettings stalls) {

  public static final AutoScalingSettings DEFAULT =
      new AutoScalingSettings(
          SizeSettings.DEFAULT,
          LocalSettings.DEFAULT,
          PacingSettings.DEFAULT,
          GroupSettings.DEFAULT,
          MemorySettings.DEFAULT,
          OutcomeSettings.DEFAULT,
          BatchSettings.DEFAULT,
          StallSettings.DEFAULT);

  private static final long DAY = 86_400_000;

  /// What holds around every optimiser.
  ///
  /// @param maxCpu the most cores of a node
  /// @param maxMemoryMib the most memory of a node
  /// @param maxWorkers the most workers of a job
  /// @param maxServers the most parameter servers of a job
  /// @param floorCpu the fewest cores of a node in RUNNING, where the limits leave room
  /// @param floorMemoryMib the least memory of a node in RUNNING, where the limits leave room
  /// @param servers the first parameter servers, where nobody says anything
  /// @param workers the first workers, where nobody says anything
  /// @param minGivenServerCpu from how many cores the user's size of a parameter server counts
  /// @param minGivenServerMemoryMib from how much memory it counts
  /// @param minEvaluatorCpu from how many cores an evaluator gets a worker's size
  /// @param minEvaluatorMemoryMib from how much memory it does
  /// @param oomFactor what the memory of a node that ran out of it is multiplied with
  /// @param oomStepMib the most memory that one increase adds
  /// @param resizeThreshold a smaller relative change of a node's resources is no change
  public record SizeSettings(
      double maxCpu,
      long maxMemoryMib,
      int maxWorkers,
      int maxServers,
      double floorCpu,
      long floorMemoryMib,
      RoleSize servers,
      RoleSize workers,
      double minGivenServerCpu,
      long minGivenServerMemoryMib,
      double minEvaluatorCpu,
      long minEvaluatorMemoryMib,
      double oomFactor,
      long oomStepMib,
      double resizeThreshold) {
    public static final SizeSettings DEFAULT =
        new SizeSettings(
            NodeResources.MAX_CPU,
            NodeResources.MAX_MEMORY_MIB,
            60,
            15,
            4,
            6_144,
            new RoleSize(1, new NodeResources(1, 8_000, 0)),
            new RoleSize(2, new NodeResources(1, 8_000, 0)),
            2,
            1_024,
            2,
            1_024,
            2,
            8_192,
            0.1);

    public SizeSettings {
      Setting.check("maxCpu", maxCpu, 0.1, 100_000);
      Setting.check("maxMemoryMib", maxMemoryMib, 1, 1L << 40);
      Setting.check("maxWorkers", maxWorkers, 1, JobPlan.MAX_NODES);
      Setting.check("maxServers", maxServers, 1, JobPlan.MAX_NODES);
      Setting.check("floorCpu", floorCpu, 0, maxCpu);
      Setting.check("floorMemoryMib", floorMemoryMib, 0, maxMemoryMib);
      Setting.check("minGivenServerCpu", minGivenServerCpu, 0, maxCpu);
      Setting.check("minGivenServerMemoryMib", minGivenServerMemoryMib, 0, maxMemoryMib);
      Setting.check("minEvaluatorCpu", minEvaluatorCpu, 0, maxCpu);
      Setting.check("minEvaluatorMemoryMib", minEvaluatorMemoryMib, 0, maxMemoryMib);
      Setting.check("oomFactor", oomFactor, 1.1, 16);
      Setting.check("oomStepMib", oomStepMib, 1, 1L << 40);
      Setting.check("resizeThreshold", resizeThreshold, 0, 1);
    }
  }

  /// What the local optimiser computes with.
  ///
  /// @param samples how many of the newest samples count
  /// @param initialMaxCpu the most cores of a first node
  /// @param initialMaxMemoryMib the most memory of a first node
  /// @param minCpu the fewest cores of a node
  /// @param minMemoryMib the least memory of a node
  /// @param initialNodes over how many nodes a job's limits are split first
  /// @param serverOverload up to which share parameter servers may be used
  /// @param serverHot from which share of its cores a parameter server is hot
  /// @param serverMemoryMargin how much more memory than it used a parameter server gets
  /// @param workerMemoryMargin how much more memory than it used a worker gets
  /// @param minSpeedRatio below which speed ratio no worker is added
  /// @param maxServerUtilisation above which utilisation no worker is added
  public record LocalSettings(
      int samples,
      double initialMaxCpu,
      long initialMaxMemoryMib,
      double minCpu,
      long minMemoryMib,
      int initialNodes,
      double serverOverload,
      double serverHot,
      double serverMemoryMargin,
      double workerMemoryMargin,
      double minSpeedRatio,
      double maxServerUtilisation) {
    public static final LocalSettings DEFAULT =
        new LocalSettings(5, 16, 8_192, 1, 1_024, 5, 0.9, 0.9, 0.2, 0.5, 0.2, 0.95);

    public LocalSettings {
      Setting.check("samples", samples, 1, JobStatistics.KEPT_EACH_RUN);
      Setting.check("minCpu", minCpu, 0.01, 100_000);
      Setting.check("minMemoryMib", minMemoryMib, 1, 1L << 40);
      Setting.check("initialMaxCpu", initialMaxCpu, minCpu, 100_000);
      Setting.check("initialMaxMemoryMib", initialMaxMemoryMib, minMemoryMib, 1L << 40);
      Setting.check("initialNodes", initialNodes, 1, JobPlan.MAX_NODES);
      Setting.check("serverOverload", serverOverload, 0.01, 1);
      Setting.check("serverHot", serverHot, 0.01, 1);
      Setting.check("serverMemoryMargin", serverMemoryMargin, 0, 10);
      Setting.check("workerMemoryMargin", workerMemoryMargin, 0, 10);
      Setting.check("minSpeedRatio", minSpeedRatio, 0, 1);
      Setting.check("maxServerUtilisation", maxServerUtilisation, 0.01, 1);
    }
  }

  /// When plans are made.
  ///
  /// @param roundMillis how often a job is looked at
  /// @param planGapMillis the least time between two plans of a job with parameter servers
  /// @param groupPlanGapMillis the least time between two plans of a job without
  /// @param serverGapMillis the least time between two changes of parameter servers
  /// @param stableMillis how long the number of workers has not changed when a plan is made
  public record PacingSettings(
      long roundMillis,
      long planGapMillis,
      long groupPlanGapMillis,
      long serverGapMillis,
      long stableMillis) {
    public static final PacingSettings DEFAULT =
        new PacingSettings(30_000, 300_000, 60_000, 3_600_000, 60_000);

    public PacingSettings {
      Setting.check("roundMillis", roundMillis, 100, DAY);
      Setting.check("planGapMillis", planGapMillis, 0, DAY);
      Setting.check("groupPlanGapMillis", groupPlanGapMillis, 0, DAY);
      Setting.check("serverGapMillis", serverGapMillis, 0, 30 * DAY);
      Setting.check("stableMillis", stableMillis, 0, DAY);
    }
  }

  /// How jobs without parameter servers grow and shrink.
  ///
  /// @param growUnits how many units one plan adds at the most
  /// @param minEfficiency below which share of linear speed the job shrinks
  /// @param minSamples how many speeds are measured at a size before it is judged
  /// @param retryMillis how long a size is not tried again that was not efficient
  public record GroupSettings(
      int growUnits, double minEfficiency, int minSamples, long retryMillis) {
    public static final GroupSettings DEFAULT = new GroupSettings(1, 0.5, 3, 3_600_000);

    public GroupSettings {
      Setting.check("growUnits", growUnits, 1, JobPlan.MAX_NODES);
      Setting.check("minEfficiency", minEfficiency, 0, 1);
      Setting.check("minSamples", minSamples, 1, JobStatistics.KEPT_EACH_RUN);
      Setting.check("retryMillis", retryMillis, 0, 30 * DAY);
    }
  }

  /// When nodes get more memory before they run out of it.
  ///
  /// @param share above which share of its limit a node is nearly out of memory
  /// @param samples over how many samples
  /// @param leakIncreases after how many increases a memory leak is reported
  public record MemorySettings(double share, int samples, int leakIncreases) {
    public static final MemorySettings DEFAULT = new MemorySettings(0.9, 3, 3);

    public MemorySettings {
      Setting.check("share", share, 0.1, 1);
      Setting.check("samples", samples, 1, JobStatistics.KEPT_EACH_RUN);
      Setting.check("leakIncreases", leakIncreases, 1, 1_000);
    }
  }

  /// How the outcome of a plan is judged.
  ///
  /// @param windowMillis how long the speed is measured before and after
  /// @param minSamples how many speeds a window has at least
  /// @param slowdown a plan that made the training slower by more than this share is taken back
  public record OutcomeSettings(long windowMillis, int minSamples, double slowdown) {
    public static final OutcomeSettings DEFAULT = new OutcomeSettings(120_000, 2, 0.1);

    public OutcomeSettings {
      Setting.check("windowMillis", windowMillis, 100, DAY);
      Setting.check("minSamples", minSamples, 1, JobStatistics.KEPT_EACH_RUN);
      Setting.check("slowdown", slowdown, 0, 1);
    }
  }

  /// When a larger batch is suggested.
  ///
  /// @param minFreeGpuMemoryMib how much accelerator memory is free at the least
  public record BatchSettings(double minFreeGpuMemoryMib) {
    public static final BatchSettings DEFAULT = new BatchSettings(2_400);

    public BatchSettings {
      Setting.check("minFreeGpuMemoryMib", minFreeGpuMemoryMib, 0, 1L << 40);
    }
  }

  /// When shards are late, workers slow and jobs hang.
  ///
  /// @param lateShardMillis how long a shard is out before it can be late
  /// @param lateShardFactor how many times as long as the slowest completed one
  /// @param stragglerFactor how many times the median a straggler takes
  /// @param idleShare below which share of its cores a node is idle
  /// @param hangMillis for how long a job that hangs makes no progress
  public record StallSettings(
      long lateShardMillis,
      double lateShardFactor,
      double stragglerFactor,
      double idleShare,
      long hangMillis) {
    public static final StallSettings DEFAULT = new StallSettings(300_000, 3, 2, 0.05, 1_800_000);

    public StallSettings {
      Setting.check("lateShardMillis", lateShardMillis, 1, 30 * DAY);
      Setting.check("lateShardFactor", lateShardFactor, 1, 1_000);
      Setting.check("stragglerFactor", stragglerFactor, 1, 1_000);
      Setting.check("idleShare", idleShare, 0, 1);
      Setting.check("hangMillis", hangMillis, 1, 30 * DAY);
    }
  }

  public AutoScalingSettings withSize(SizeSettings newSize) {
    return new AutoScalingSettings(newSize, local, pacing, group, memory, outcome, batch, stalls);
  }

  public AutoScalingSettings withLocal(LocalSettings newLocal) {
    return new AutoScalingSettings(size, newLocal, pacing, group, memory, outcome, batch, stalls);
  }

  public AutoScalingSettings withPacing(PacingSettings newPacing) {
    return new AutoScalingSettings(size, local, newPacing, group, memory, outcome, batch, stalls);
  }

  public AutoScalingSettings withGroup(GroupSettings newGroup) {
    return new AutoScalingSettings(size, local, pacing, newGroup, memory, outcome, batch, stalls);
  }
}

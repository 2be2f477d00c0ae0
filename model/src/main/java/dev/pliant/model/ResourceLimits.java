package dev.pliant.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What all nodes of a job may use together at the most. Null is no bound.
///
/// @param cpu cores
/// @param memoryMib MiB
/// @param gpus whole devices
/// @param diskMib MiB
public record ResourceLimits(
    @Nullable Double cpu, @Nullable Long memoryMib, @Nullable Long gpus, @Nullable Long diskMib) {
  /// Nothing is bounded.
  public static final ResourceLimits NONE = new ResourceLimits(null, null, null, null);

  /// What a sum of cores may be off by its fractions.
  private static final double ROUNDING = 1e-6;

  public ResourceLimits {
    if ((cpu != null && !(cpu >= 0))
        || (memoryMib != null && memoryMib < 0)
        || (gpus != null && gpus < 0)
        || (diskMib != null && diskMib < 0)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN, "a job's limits cannot be less than nothing.");
    }
  }

  public boolean isNone() {
    return equals(NONE);
  }

  /// What `then` would exceed, for people; empty where it keeps within. What is no more than it is
  /// `now` exceeds nothing: limits that were lowered are no reason to keep a job from shrinking.
  ///
  /// The sizes of nodes are rounded up to whole MiB, so each of them may be one too many.
  public List<String> exceeded(ResourceSum now, ResourceSum then) {
    List<String> exceeded = new ArrayList<>();
    if (cpu != null && then.cpu() > cpu + ROUNDING && then.cpu() > now.cpu() + ROUNDING) {
      exceeded.add("%s of %s cores".formatted(then.cpu(), cpu));
    }
    if (over(memoryMib, now.memoryMib(), then.memoryMib(), then.nodes())) {
      exceeded.add("%,d of %,d MiB".formatted(then.memoryMib(), memoryMib));
    }
    if (over(gpus, now.gpus(), then.gpus(), 0)) {
      exceeded.add("%,d of %,d GPUs".formatted(then.gpus(), gpus));
    }
    if (over(diskMib, now.diskMib(), then.diskMib(), then.nodes())) {
      exceeded.add("%,d of %,d MiB of disk".formatted(then.diskMib(), diskMib));
    }
    return exceeded;
  }

  private static boolean over(@Nullable Long limit, long now, long then, int rounding) {
    return limit != null && then > limit + rounding && then > now;
  }

  /// How much memory is left beside nodes that use so much.
  public long memoryLeftMib(ResourceSum others) {
    return memoryMib == null ? Long.MAX_VALUE : Math.max(0, memoryMib - others.memoryMib());
  }

  /// For people.
  public String describe() {
    List<String> said = new ArrayList<>();
    if (cpu != null) {
      said.add(cpu + " cores");
    }
    if (memoryMib != null) {
      said.add("%,d MiB".formatted(memoryMib));
    }
    if (gpus != null) {
      said.add("%,d GPUs".formatted(gpus));
    }
    if (diskMib != null) {
      said.add("%,d MiB of disk".formatted(diskMib));
    }
    return said.isEmpty() ? "any amount" : "at most " + String.join(", ", said) + " in all";
  }
}

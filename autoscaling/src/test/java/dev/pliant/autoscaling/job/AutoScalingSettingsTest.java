package dev.pliant.autoscaling.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.autoscaling.job.AutoScalingSettings.GroupSettings;
import dev.pliant.autoscaling.job.AutoScalingSettings.LocalSettings;
import dev.pliant.autoscaling.job.AutoScalingSettings.PacingSettings;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class AutoScalingSettingsTest {

  @Test
  void theDefaultsAreThoseOfTheContract() {
    AutoScalingSettings all = AutoScalingSettings.DEFAULT;

    assertThat(all.local())
        .isEqualTo(new LocalSettings(5, 16, 8_192, 1, 1_024, 5, 0.9, 0.9, 0.2, 0.5, 0.2, 0.95));
    assertThat(all.pacing())
        .isEqualTo(new PacingSettings(30_000, 300_000, 60_000, 3_600_000, 60_000));
    assertThat(all.size().maxCpu()).isEqualTo(32);
    assertThat(all.size().maxMemoryMib()).isEqualTo(65_536);
    assertThat(all.size().maxWorkers()).isEqualTo(60);
    assertThat(all.size().maxServers()).isEqualTo(15);
    assertThat(all.size().floorCpu()).isEqualTo(4);
    assertThat(all.size().floorMemoryMib()).isEqualTo(6_144);
    assertThat(all.size().oomFactor()).isEqualTo(2);
    assertThat(all.size().oomStepMib()).isEqualTo(8_192);
    assertThat(all.group().minEfficiency()).isEqualTo(0.5);
    assertThat(all.memory().share()).isEqualTo(0.9);
    assertThat(all.outcome().slowdown()).isEqualTo(0.1);
    assertThat(all.batch().minFreeGpuMemoryMib()).isEqualTo(2_400);
    assertThat(all.stalls().lateShardMillis()).isEqualTo(300_000);
    assertThat(all.stalls().hangMillis()).isEqualTo(1_800_000);
  }

  @Test
  void whatIsBeyondItsBoundsIsRefusedWithItsName() {
    Map<String, ThrowingCallable> wrong =
        Map.of(
            "minEfficiency of autoScaling is 1.5",
            () -> new GroupSettings(1, 1.5, 3, 0),
            "minEfficiency of autoScaling is NaN",
            () -> new GroupSettings(1, Double.NaN, 3, 0),
            "growUnits of autoScaling is 0",
            () -> new GroupSettings(0, 0.5, 3, 0),
            "planGapMillis of autoScaling is -1",
            () -> new PacingSettings(30_000, -1, 0, 0, 0),
            "from 5 to 2 nodes",
            () -> RoleConstraints.of(5, 2),
            "at most 4 nodes has the unit 8",
            () -> RoleConstraints.of(1, 4).withUnit(8),
            "from 0 to 10,000 nodes, not 20,000",
            () -> new RoleSize(20_000, NodeResources.UNBOUNDED));
    wrong.forEach((message, make) ->
        assertThatThrownBy(make).isInstanceOf(PliantException.class).hasMessageContaining(message));
  }
}

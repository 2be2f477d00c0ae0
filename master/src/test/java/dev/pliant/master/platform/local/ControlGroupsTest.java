package dev.pliant.master.platform.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.platform.local.ControlGroups.Mounts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ControlGroupsTest {
  @Test
  void findsTheOwnGroupOfEachControllerInVersionOne() {
    Mounts mounts =
        Mounts.parse(
            """
            32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
            """,
            """
            4:memory:/jobs/a
            1:cpu,cpuacct:/
            0::/
            """);

    assertThat(mounts.versionOne("memory"))
        .containsExactly(Path.of("/sys/fs/cgroup/memory/jobs/a"));
    assertThat(mounts.versionOne("cpu")).containsExactly(Path.of("/sys/fs/cgroup/cpu,cpuacct"));
    assertThat(mounts.versionOne("pids")).isEmpty();
  }

  @Test
  void findsTheOwnGroupThenTheRootInVersionTwo() {
    Mounts mounts =
        Mounts.parse(
            "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n",
            "0::/user.slice/session-1.scope\n");

    assertThat(mounts.unified())
        .containsExactly(
            Path.of("/sys/fs/cgroup/user.slice/session-1.scope"), Path.of("/sys/fs/cgroup"));
  }

  @Test
  void aContainerSeesItsOwnPartOfTheTree() {
    Mounts mounts =
        Mounts.parse(
            "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n",
            "4:memory:/docker/1/inner\n");

    assertThat(mounts.versionOne("memory")).containsExactly(Path.of("/sys/fs/cgroup/memory/inner"));
  }
}

package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DeletionTest {
  @Test
  void saysWhatIsLeftOrThatNobodyKnows() {
    assertThat(Deletion.shown(Optional.of(List.of("Pod/a")))).isEqualTo("there is still Pod/a");
    assertThat(Deletion.shown(Optional.of(Collections.nCopies(7, "Pod/a"))))
        .startsWith("there are still Pod/a, ")
        .endsWith(" and 2 more");
    assertThat(Deletion.shown(Optional.empty())).isEqualTo("the cluster does not answer");
  }
}

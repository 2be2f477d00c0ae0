package dev.pliant.master.platform.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The arithmetic alone: it was never tried with a GPU.
class GpusTest {
  @Test
  void givesTheFirstThatNobodyHas() {
    assertThat(Gpus.assign(2, List.of(0, 1, 2, 3), List.of("0"))).contains("1,2");
    assertThat(Gpus.assign(1, List.of(0, 1), List.of("1", ""))).contains("0");
  }

  @Test
  void givesNothingWhereTooFewAreLeft() {
    assertThat(Gpus.assign(2, List.of(0, 1, 2), List.of("0,1"))).isEmpty();
    assertThat(Gpus.assign(1, List.of(), List.of())).isEmpty();
  }
}

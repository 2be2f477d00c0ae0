package dev.pliant.cli.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.python.TorchChoice.Python;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class TorchChoiceTest {
  private static final Python WITH = new Python(Path.of("/a/python3"), Optional.of("2.1"));
  private static final Python WITHOUT = new Python(Path.of("/b/python3"), Optional.empty());

  static Stream<Arguments> machines() {
    return Stream.of(
        arguments("the Python that is meant has it", WITH, List.of(), true, use(WITH)),
        arguments("another one has it", WITHOUT, List.of(WITHOUT, WITH), true, use(WITH)),
        arguments("only another one is there", null, List.of(WITH), false, use(WITH)),
        arguments(
            "none has it, and packages can be had",
            WITHOUT,
            List.of(WITHOUT),
            true,
            new TorchChoice.InstallPackage()),
        arguments(
            "there is no Python, and packages can be had",
            null,
            List.of(),
            true,
            new TorchChoice.InstallPackage()),
        arguments(
            "none has it, and packages cannot be had",
            WITHOUT,
            List.of(),
            false,
            new TorchChoice.MakeEnvironment(WITHOUT.path())),
        arguments(
            "only others are there, without it",
            null,
            List.of(WITHOUT),
            false,
            new TorchChoice.MakeEnvironment(WITHOUT.path())));
  }

  private static TorchChoice use(Python python) {
    return new TorchChoice.Use(python);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("machines")
  void takesWhatIsNearest(
      String name,
      @Nullable Python wanted,
      List<Python> others,
      boolean packages,
      TorchChoice want) {
    assertThat(TorchChoice.decide("python3", Optional.ofNullable(wanted), true, others, packages))
        .isEqualTo(want);
  }

  @Test
  void takesNoOtherPythonThanTheOneThatWasNamedByItsPath() {
    TorchChoice named =
        TorchChoice.decide("/b/python3", Optional.of(WITHOUT), false, List.of(WITH), true);
    TorchChoice absent =
        TorchChoice.decide("python3.7", Optional.empty(), false, List.of(WITH), true);

    assertThat(named)
        .isInstanceOfSatisfying(
            TorchChoice.Impossible.class,
            choice -> assertThat(choice.why()).contains("'/b/python3' has none; install it there"));
    assertThat(absent)
        .isInstanceOfSatisfying(
            TorchChoice.Impossible.class,
            choice -> assertThat(choice.why()).contains("there is no Python 'python3.7' here"));
  }

  @Test
  void saysWhatToDoWhereNothingCanBeDone() {
    assertThat(TorchChoice.decide("python3", Optional.empty(), true, List.of(), false))
        .isEqualTo(
            new TorchChoice.Impossible(
                "there is no Python here, and without root and apt none can be got; install Python"
                    + " 3.9 or newer."));
  }
}

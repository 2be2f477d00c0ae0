package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The help of every command stands in a file, so that a change of it is seen in review. Run with
/// `-Dpliant.golden=write` to write the files anew.
final class HelpTest {
  private static final Path GOLDEN = Path.of("src/test/resources/help");

  static Stream<String> commands() {
    return Stream.concat(
        Stream.of("pliant"),
        PliantCommand.commandLine(Terminal.PLAIN).getSubcommands().keySet().stream());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpIsWhatItsFileSays(String command) throws IOException {
    Called called =
        command.equals("pliant") ? Called.with("--help") : Called.with(command, "--help");
    assertThat(called.exitCode()).isZero();
    assertThat(called.err()).isEmpty();

    Path golden = GOLDEN.resolve(command + ".txt");
    if ("write".equals(System.getProperty("pliant.golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(golden, called.out());
    }
    assertThat(called.out()).isEqualTo(Files.readString(golden));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpTeachesByExampleAndSaysTheExitCodes(String command) {
    Called called =
        command.equals("pliant") ? Called.with("--help") : Called.with(command, "--help");

    assertThat(called.out()).contains("\nExamples:\n  ", "\nExit codes:\n  0 ");
    assertThat(called.out().lines()).allMatch(line -> line.length() <= 100);
  }
}

package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The script in real shells, beside a stand-in for the command that it asks for names.
class JobNameCompletionTest {
  private static final long BOUND_SECONDS = 30;

  /// Notes what it was called with, and prints two names. Options of the completion under way
  /// cannot be set where there is none.
  private static final String PLIANT =
      "pliant() { echo \"$*\" >>\"$CALLS\"; echo digits; echo team/count; }; compopt() { :; }";

  static final List<String> COMMANDS = JobNameCompletion.COMMANDS;

  @TempDir Path folder;

  @ParameterizedTest
  @FieldSource("COMMANDS")
  void completesNamesOfJobsAfter(String command) throws IOException, InterruptedException {
    assertThat(complete("bash", List.of("pliant", command, ""))).contains("digits", "team/count");
    assertThat(calls()).containsOnly("get jobs -o name");
  }

  static Stream<Arguments> lines() {
    return Stream.of(
        arguments(List.of("pliant", "describe", "di"), List.of("digits"), "get jobs -o name"),
        arguments(
            List.of("pliant", "logs", "-n", "team", "--on", "=", "kubernetes", "t"),
            List.of("team/count"),
            "get jobs -o name -n team --on kubernetes"),
        arguments(
            List.of("pliant", "stop", "--context=\"big\"", ""),
            List.of("digits", "team/count"),
            "get jobs -o name --context=big"),
        arguments(
            List.of(
                "pliant", "stop", "--kubeconfig", "~/my\\ cluster/\"a\"", "--context", "~b", "d"),
            List.of("digits"),
            "get jobs -o name --kubeconfig %s/my cluster/a --context ~b"
                .formatted(System.getenv("HOME"))),
        // An option, an option's word, another command: nobody is asked.
        arguments(List.of("pliant", "stop", "--contex"), List.of("--context"), ""),
        arguments(List.of("pliant", "describe", "-o", "y"), List.of("yaml"), ""),
        arguments(List.of("pliant", "get", "jobs", "d"), List.of("digits"), "get jobs -o name"));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void asksWhereTheLineLooks(List<String> line, List<String> words, String asked)
      throws IOException, InterruptedException {
    assertThat(complete("bash", line)).containsExactlyElementsOf(words);
    assertAsked(asked);
  }

  private void assertAsked(String asked) throws IOException {
    assertThat(calls()).isEqualTo(asked.isEmpty() ? List.of() : List.of(asked));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void zshDoesTheSame(List<String> line, List<String> words, String asked)
      throws IOException, InterruptedException {
    Needs.that(Zsh.isThere(), "zsh (Debian: apt-get install zsh)");
    // Its compgen leaves it to zsh to drop what does not begin with the word.
    assertThat(complete("zsh", line))
        .filteredOn(word -> word.startsWith(line.getLast()))
        .containsExactlyElementsOf(words);
    assertAsked(asked);
  }

  private List<String> calls() throws IOException {
    Path calls = folder.resolve("calls");
    return Files.exists(calls) ? Files.readAllLines(calls).stream().distinct().toList() : List.of();
  }

  private List<String> complete(String shell, List<String> line)
      throws IOException, InterruptedException {
    Path script = folder.resolve("completion");
    Files.writeString(script, Called.with("completion", shell).out());
    String begin =
        shell.equals("zsh")
            ? "autoload -U compinit && compinit -u -d " + folder.resolve("dump")
            : "true";
    String program =
        String.join(
            "\n",
            begin,
            "source " + script,
            PLIANT,
            shell.equals("zsh") ? "emulate sh" : "true",
            "COMP_WORDS=(" + quoted(line) + ")",
            "COMP_CWORD=" + (line.size() - 1),
            "COMP_LINE=" + quoted(List.of(String.join(" ", line))),
            "_complete_pliant",
            "printf '%s\\n' \"${COMPREPLY[@]}\"");
    ProcessBuilder builder = new ProcessBuilder(shell, "-c", program);
    builder.environment().put("CALLS", folder.resolve("calls").toString());
    builder.redirectError(folder.resolve("errors").toFile());
    Process process = builder.start();
    List<String> said = process.inputReader().lines().toList();
    assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("errors")).isEmptyFile();
    return said.stream().map(String::strip).toList();
  }

  private static String quoted(List<String> words) {
    return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
  }
}

package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

final class PliantCommandTest {

  @Test
  void printsItsVersion() {
    Called called = Called.with("version");

    assertThat(called.exitCode()).isZero();
    assertThat(called.out()).matches("pliant \\d+\\.\\d+\\.\\S+\njava   25\\S*\n");
  }

  @Test
  void printsItsVersionAsJson() {
    assertThat(Called.with("version", "-o", "json").out())
        .matches("\\{\"version\":\"\\S+\",\"java\":\"25\\S*\"}\n");
  }

  @Test
  void printsAScriptThatCompletesItsCommandsButNotTheHiddenOnes() {
    Called called = Called.with("completion", "bash");

    assertThat(called.exitCode()).isZero();
    assertThat(called.out())
        .contains(
            "local commands=\"run submit get describe logs events scale stop delete verify replay version completion\"")
        .contains("complete -F _complete_pliant -o default pliant");
  }

  static Stream<Arguments> wrongUsage() {
    return Stream.of(
        arguments(List.of("vresion"), "unknown command 'vresion'; did you mean 'version'?"),
        arguments(List.of("fly"), "unknown command 'fly'; known here: "),
        arguments(List.of("--hepl"), "unknown option '--hepl'; did you mean '--help'?"),
        arguments(
            List.of("version", "--ouput=json"),
            "unknown option '--ouput'; did you mean '--output'?"),
        arguments(List.of("version", "now"), "'now' is one argument too many."),
        arguments(List.of("get", "digits", "count"), "'count' is one name too many"),
        arguments(List.of("get", "jobs", "digits", "count"), "'count' is one name too many"),
        arguments(List.of("version", "-o", "xml"), "expected one of [text, json]"),
        arguments(List.of("completion"), "missing required parameter: 'SHELL'."));
  }

  @ParameterizedTest(name = "pliant {0}")
  @MethodSource("wrongUsage")
  void saysWhatIsWrongWithItsUsage(List<String> arguments, String want) {
    Called called = Called.with(arguments.toArray(String[]::new));

    assertThat(called.exitCode()).isEqualTo(2);
    assertThat(called.out()).isEmpty();
    assertThat(called.err()).startsWith("pliant: ").contains(want).contains(" --help'.\n");
  }

  @Test
  void showsItsHelpWhereNoCommandIsGiven() {
    Called called = Called.with();

    assertThat(called.exitCode()).isEqualTo(2);
    assertThat(called.err()).startsWith("Usage: pliant [OPTIONS] COMMAND\n");
  }

  @ParameterizedTest
  @EnumSource
  void everyFaultHasAnExitCode(ErrorCode code) {
    Called called = failing(new PliantException(code, "the sky fell."));

    assertThat(called.err()).isEqualTo("pliant: the sky fell.\n");
    assertThat(called.exitCode()).isEqualTo(code.category() == ErrorCode.Category.INVALID ? 2 : 1);
  }

  @Test
  void showsWhereAFaultAroseOnlyWhenAsked() {
    Exception fault = new PliantException(ErrorCode.BAD_JOB_FILE, "the sky fell.");

    assertThat(failing(fault).err()).doesNotContain("\tat ");
    assertThat(failing(fault, "--debug").err()).contains("\tat dev.pliant.");
  }

  @Test
  void saysWhatTheSystemRefused() {
    IOException cause = new NoSuchFileException("/a/b");

    assertThat(failing(cause).err()).isEqualTo("pliant: /a/b (NoSuchFile).\n");
    assertThat(failing(new UncheckedIOException(cause)).err())
        .isEqualTo("pliant: /a/b (NoSuchFile).\n");
    assertThat(failing(new UncheckedIOException("cannot start", cause)).err())
        .isEqualTo("pliant: cannot start: /a/b (NoSuchFile).\n");
    assertThat(failing(new UncheckedIOException("cannot start: /a/b", cause)).err())
        .isEqualTo("pliant: cannot start: /a/b (NoSuchFile).\n");
    assertThat(failing(cause).exitCode()).isEqualTo(1);
  }

  @Test
  void ownsUpToADefect() {
    Called called = failing(new IllegalStateException("oops"));

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .isEqualTo(
            """
            pliant: this is a defect of Pliant's, not yours: java.lang.IllegalStateException: oops
            Run the command again with --debug to see where it arose.
            """);
  }

  @Test
  void drawsAndColoursOnlyWhereSomebodyWatches() {
    assertThat(Terminal.of(true, Map.of())).isEqualTo(new Terminal(true, true));
    assertThat(Terminal.of(true, Map.of("NO_COLOR", "1"))).isEqualTo(new Terminal(true, false));
    assertThat(Terminal.of(true, Map.of("NO_COLOR", ""))).isEqualTo(new Terminal(true, true));
    assertThat(Terminal.of(true, Map.of("TERM", "dumb"))).isEqualTo(Terminal.PLAIN);
    assertThat(Terminal.of(false, Map.of())).isEqualTo(Terminal.PLAIN);
  }

  private static Called failing(Exception fault, String... options) {
    StringWriter err = new StringWriter();
    CommandLine line =
        PliantCommand.commandLine(Terminal.PLAIN, "version").setErr(new PrintWriter(err));
    ParseResult parsed =
        line.parseArgs(
            Stream.concat(Stream.of("version"), Stream.of(options)).toArray(String[]::new));
    int exitCode = new Faults().handleExecutionException(fault, line, parsed);
    return new Called(exitCode, "", err.toString());
  }
}

package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The command line of `pliant run`, before anything runs.
final class RunCommandTest {
  static Stream<Arguments> commandLines() {
    return Stream.of(
        arguments(
            "a job file with options behind it",
            List.of("job.yaml", "--workers", "4", "--replace"),
            List.of("job.yaml", "--workers", "4", "--replace")),
        arguments(
            "a script with arguments that look like ours",
            List.of("--workers", "1:4", "train.py", "--workers", "9", "-m"),
            List.of("--workers", "1:4", "--", "train.py", "--workers", "9", "-m")),
        arguments(
            "torchrun's spellings",
            List.of("--nproc_per_node=2", "--max_restarts", "3", "t.py", "--a_b"),
            List.of("--nproc-per-node=2", "--max-restarts", "3", "--", "t.py", "--a_b")),
        arguments(
            "a module",
            List.of("-m", "net.train", "--lr", "1"),
            List.of("-m", "--", "net.train", "--lr", "1")),
        arguments(
            "an unknown option stays as it is",
            List.of("--no_such=1", "t.py"),
            List.of("--no_such=1", "--", "t.py")),
        arguments(
            "two dashes of the user's own",
            List.of("--workers", "2", "--", "t.py", "--x"),
            List.of("--workers", "2", "--", "t.py", "--x")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("commandLines")
  void leavesAScriptItsArguments(String name, List<String> words, List<String> want) {
    CommandLine run = run(PliantCommand.commandLine(Terminal.PLAIN, "run"));

    assertThat(RunArguments.arranged(words, run.getCommandSpec())).isEqualTo(want);
  }

  @Test
  void readsTorchrunsCommandLine() {
    RunCommand run =
        parsed(
            "--nnodes=1:4",
            "--nproc_per_node=2",
            "--max_restarts=5",
            "--rdzv_backend=c10d",
            "--rdzv_endpoint=localhost:29400",
            "--rdzv_id=7",
            "--rdzv_conf=last_call_timeout=2,timeout=9",
            "--log_dir=logs",
            "-e",
            "A=1",
            "--env",
            "B=x=y",
            "train.py",
            "--epochs",
            "3");

    assertThat(run.words).containsExactly("train.py", "--epochs", "3");
    assertThat(run.workers).isEqualTo("1:4");
    assertThat(run.processes).isEqualTo("2");
    assertThat(run.restarts).isEqualTo(5);
    assertThat(run.environment).containsEntry("A", "1").containsEntry("B", "x=y");
    assertThat(run.torchrun.lastCallMillis()).isEqualTo(2_000);
    assertThat(run.torchrun.notes())
        .containsExactly(
            "--rdzv-backend and --rdzv-id: the job's own master forms the groups",
            "--rdzv-endpoint: the group's address is chosen on this machine");
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        arguments(List.of("--node_rank=1", "t.py"), "--node-rank is 1: nodes of several machines"),
        arguments(
            List.of("--rdzv-endpoint", "head:29400", "t.py"), "--rdzv-endpoint is 'head:29400'"),
        arguments(List.of("--master_addr", "10.0.0.1", "t.py"), "--master-addr is '10.0.0.1'"),
        arguments(List.of("--run-path", "t.py"), "--run-path is not known here"),
        arguments(
            List.of("--rdzv-conf", "last_call_timeout=soon", "t.py"),
            "last_call_timeout of --rdzv-conf is 'soon'; write seconds."),
        arguments(List.of("absent.py"), "there is no script 'absent.py'"),
        arguments(List.of("absent.yaml"), "absent.yaml: there is no such file."),
        arguments(List.of("a.yaml", "b.yaml"), "'b.yaml' is one argument too many."),
        arguments(List.of("--workers", "2:1", "t.py"), "at least 2 is more than at most 1."),
        arguments(List.of("--nproc-per-node", "some", "t.py"), "--nproc-per-node is 'some'"),
        arguments(List.of("--max-restarts", "-1", "t.py"), "--max-restarts is -1"),
        arguments(List.of("--elasticity", "rubber", "t.py"), "'rubber' is no elasticity"),
        arguments(List.of("-m", "--no-python", "x"), "-m is for Python"),
        arguments(List.of("--nnode", "2", "t.py"), "unknown option '--nnode'; did you mean"),
        arguments(List.of("--workers", "2"), "missing required parameter"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void saysWhatIsWrong(List<String> arguments, String want) {
    Called called =
        Called.with(Stream.concat(Stream.of("run"), arguments.stream()).toArray(String[]::new));

    assertThat(called.err()).contains(want);
    assertThat(called.exitCode()).isEqualTo(2);
  }

  @Test
  void doesNotTrainHereWhatWasMeantForACluster() {
    Map<String, String> plugin = Map.of("PLIANT_ON", "kubernetes", "PLIANT_PLUGIN", "kubectl");
    assertThatThrownBy(() -> parsed("job.yaml").checkPlace(plugin))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("'kubectl pliant submit job.yaml --follow'");
    assertThatThrownBy(() -> parsed("my job.yaml").checkPlace(plugin))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("'kubectl pliant submit 'my job.yaml' --follow'");
    assertThatThrownBy(() -> parsed("train.py").checkPlace(Map.of("PLIANT_ON", "kubernetes")))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("'pliant submit FILE --follow'");

    assertThatCode(() -> parsed("job.yaml").checkPlace(Map.of("PLIANT_ON", "local")))
        .doesNotThrowAnyException();
    assertThatCode(() -> parsed("--detached", "job.yaml").checkPlace(plugin))
        .doesNotThrowAnyException();
  }

  private static RunCommand parsed(String... arguments) {
    CommandLine line = PliantCommand.commandLine(Terminal.PLAIN, "run");
    ParseResult unused =
        line.parseArgs(
            Stream.concat(Stream.of("run"), Stream.of(arguments)).toArray(String[]::new));
    return run(line).getCommand();
  }

  private static CommandLine run(CommandLine line) {
    return Objects.requireNonNull(line.getSubcommands().get("run"));
  }
}

package dev.pliant.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/// The root of the command line: everything else is a subcommand.
@Command(
    name = "pliant",
    versionProvider = VersionCommand.Provider.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Trains deep-learning jobs that grow, shrink and lose machines without stopping.",
    footer = {
      "",
      "Examples:",
      "  Run the smallest example on this machine:",
      "    $ pliant run examples/count/job.yaml",
      "  See how it does, and give it more workers, from another terminal:",
      "    $ pliant get jobs",
      "    $ pliant scale count --workers 4",
      "  The same in a cluster, where Pliant is installed in it:",
      "    $ pliant submit job.yaml --on kubernetes",
      "    $ pliant get jobs --on kubernetes",
      "  Has every record been trained once?",
      "    $ pliant verify count",
      "  See what a command can do:",
      "    $ pliant run --help",
      "  Complete commands in this shell:",
      "    $ source <(pliant completion bash)",
    })
final class PliantCommand implements Callable<Integer> {
  /// Every command, in the order of the help.
  private static final List<Class<?>> COMMANDS =
      List.of(
          RunCommand.class,
          SubmitCommand.class,
          GetCommand.class,
          DescribeCommand.class,
          LogsCommand.class,
          EventsCommand.class,
          ScaleCommand.class,
          StopCommand.class,
          DeleteCommand.class,
          VerifyCommand.class,
          ReplayCommand.class,
          VersionCommand.class,
          CompletionCommand.class,
          MasterCommand.class,
          AgentCommand.class,
          OperatorCommand.class);

  private static final Map<String, String> EXIT_CODES = new LinkedHashMap<>();

  static {
    EXIT_CODES.put("0", "Done.");
    EXIT_CODES.put("1", "It failed; standard error says why.");
    EXIT_CODES.put("2", "The command line or its input is invalid.");
  }

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help and exit.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Print the version and exit.")
  boolean version;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "On a failure, print where in Pliant it arose.")
  boolean debug;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return Faults.USAGE;
  }

  /// The command line for `arguments`, printing for `terminal`. Where they begin with a command, it
  /// has that command alone: to read the annotations of all of them takes longer than most commands
  /// do.
  static CommandLine commandLine(Terminal terminal, String... arguments) {
    CommandLine line = new CommandLine(new PliantCommand());
    List<Class<?>> wanted =
        COMMANDS.stream()
            .filter(c -> arguments.length > 0 && name(c).equals(arguments[0]))
            .toList();
    for (Class<?> command : wanted.isEmpty() ? COMMANDS : wanted) {
      line.addSubcommand(command);
    }
    configure(line);
    Faults faults = new Faults();
    return line.setColorScheme(
            CommandLine.Help.defaultColorScheme(terminal.colour() ? Ansi.ON : Ansi.OFF))
        .setUsageHelpWidth(100)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(faults)
        .setExecutionExceptionHandler(faults);
  }

  private static String name(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  /// Every command's help has the same shape: usage, description, options, examples, exit codes.
  private static void configure(CommandLine line) {
    CommandSpec spec = line.getCommandSpec();
    spec.usageMessage()
        .sortOptions(false)
        .abbreviateSynopsis(true)
        .descriptionHeading("%n")
        .parameterListHeading("%nArguments:%n")
        .optionListHeading("%nOptions:%n")
        .commandListHeading("%nCommands:%n")
        .exitCodeListHeading("%nExit codes:%n");
    if (spec.usageMessage().exitCodeList().isEmpty()) {
      spec.usageMessage().exitCodeList(EXIT_CODES);
    }
    line.getSubcommands().values().forEach(PliantCommand::configure);
  }
}

package dev.pliant.cli;

import dev.pliant.cli.jobs.ReaderGone;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.Nearest;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// The one place where a fault becomes a line on standard error and an exit code.
final class Faults implements IParameterExceptionHandler, IExecutionExceptionHandler {
  static final int FAILED = 1;
  static final int USAGE = 2;

  /// What is wrong with the input is wrong usage; everything else is a failure.
  static int exitCode(ErrorCode code) {
    return code.category() == ErrorCode.Category.INVALID ? USAGE : FAILED;
  }

  @Override
  public int handleParseException(ParameterException fault, String[] arguments) {
    CommandLine line = fault.getCommandLine();
    PrintWriter err = line.getErr();
    err.println("pliant: " + describe(fault));
    err.printf("See '%s --help'.%n", line.getCommandSpec().qualifiedName());
    err.flush();
    return USAGE;
  }

  @Override
  public int handleExecutionException(Exception fault, CommandLine line, ParseResult parsed) {
    if (fault instanceof ReaderGone) {
      return ReaderGone.EXIT_CODE;
    }
    PrintWriter err = line.getErr();
    boolean debug =
        line.getCommandSpec().root().userObject() instanceof PliantCommand root && root.debug;
    int exitCode = FAILED;
    if (fault instanceof PliantException known) {
      err.println("pliant: " + known.getMessage());
      exitCode = exitCode(known.code());
    } else if (fault instanceof IOException || fault instanceof UncheckedIOException) {
      err.println("pliant: " + describe(fault));
    } else {
      err.println("pliant: this is a defect of Pliant's, not yours: " + fault);
      if (!debug) {
        err.println("Run the command again with --debug to see where it arose.");
      }
    }
    if (debug) {
      fault.printStackTrace(err);
    }
    err.flush();
    return exitCode;
  }

  /// Takes what is said while a command works; a program that reads the result does not see it.
  static Consumer<String> notesOf(CommandSpec spec) {
    PrintWriter err = spec.commandLine().getErr();
    return note -> {
      err.println(note);
      err.flush();
    };
  }

  /// The messages of the JDK are often a path alone; the kind of fault says what is wrong with it.
  private static String describe(Exception fault) {
    Throwable cause =
        fault instanceof UncheckedIOException unchecked
            ? Objects.requireNonNull(unchecked.getCause())
            : fault;
    String what = String.valueOf(cause.getMessage());
    String context = String.valueOf(fault.getMessage());
    String said =
        context.contains(what) ? context.replace(cause.toString(), what) : context + ": " + what;
    String kind = cause.getClass().getSimpleName().replaceAll("Exception$", "");
    return "%s (%s).".formatted(said, kind);
  }

  private static String describe(ParameterException fault) {
    if (!(fault instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      return sentence(String.valueOf(fault.getMessage()));
    }
    CommandSpec spec = unmatched.getCommandLine().getCommandSpec();
    String word = unmatched.getUnmatched().getFirst();
    if (word.startsWith("-")) {
      int equals = word.indexOf('=');
      String option = equals < 0 ? word : word.substring(0, equals);
      return "unknown option '%s'%s".formatted(option, Nearest.hint(option, options(spec)));
    }
    return spec.subcommands().isEmpty()
        ? "'%s' is one argument too many.".formatted(word)
        : "unknown command '%s'%s".formatted(word, Nearest.hint(word, commands(spec)));
  }

  /// picocli's messages begin with a capital and end with nothing.
  private static String sentence(String message) {
    String trimmed = message.strip();
    boolean ended = trimmed.endsWith(".") || trimmed.endsWith("?");
    return Character.toLowerCase(trimmed.charAt(0)) + trimmed.substring(1) + (ended ? "" : ".");
  }

  private static Set<String> options(CommandSpec spec) {
    Set<String> names = new LinkedHashSet<>();
    spec.options().stream()
        .filter(option -> !option.hidden())
        .flatMap(option -> Arrays.stream(option.names()))
        .filter(name -> name.startsWith("--"))
        .forEach(names::add);
    return names;
  }

  private static Set<String> commands(CommandSpec spec) {
    Set<String> names = new LinkedHashSet<>();
    spec.subcommands()
        .forEach((name, line) -> {
          if (!line.getCommandSpec().usageMessage().hidden()) {
            names.add(name);
          }
        });
    return names;
  }
}

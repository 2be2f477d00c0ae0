package dev.pliant.cli.python;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A worker's command that runs Python, as far as that can be told without running it.
///
/// @param index where the interpreter stands in the command; -1 where a shell starts it
/// @param interpreter the interpreter as the command names it
public record PythonCommand(int index, String interpreter, Program program) {
  private static final Pattern INTERPRETER = Pattern.compile("(.*/)?python(\\d+(\\.\\d+)?)?");
  private static final Pattern SHELL = Pattern.compile("(.*/)?(ba|da|z|k)?sh");
  private static final Pattern ENV = Pattern.compile("(.*/)?env");
  private static final Pattern SHELL_SEPARATOR = Pattern.compile("[\\s;&|()]+");

  /// What the interpreter runs.
  public sealed interface Program {
    /// A file, as the command names it.
    record Script(String file) implements Program {}

    /// A module, by `-m`.
    record Module(String name) implements Program {}

    /// Text, by `-c`.
    record Code(String text) implements Program {}

    /// Nothing that can be told.
    record Unknown() implements Program {}
  }

  /// The Python in `command`, where there is one.
  public static Optional<PythonCommand> in(List<String> command) {
    for (int i = 0; i < command.size(); i++) {
      String word = command.get(i);
      if (isInterpreter(word)) {
        return Optional.of(new PythonCommand(i, word, program(command, i + 1)));
      }
      if (SHELL.matcher(word).matches()) {
        return inShell(command.subList(i + 1, command.size()));
      }
      boolean goesOn = ENV.matcher(word).matches() || (i > 0 && word.contains("="));
      if (!goesOn) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  public static boolean isInterpreter(String word) {
    return INTERPRETER.matcher(word).matches();
  }

  /// Whether the command leaves it to the machine which Python it is.
  public boolean anyPython() {
    return interpreter.equals("python") || interpreter.equals("python3");
  }

  private static Optional<PythonCommand> inShell(List<String> arguments) {
    int option = arguments.indexOf("-c");
    if (option < 0 || option + 1 >= arguments.size()) {
      return Optional.empty();
    }
    List<String> words = SHELL_SEPARATOR.splitAsStream(arguments.get(option + 1)).toList();
    for (int i = 0; i < words.size(); i++) {
      if (isInterpreter(words.get(i))) {
        return Optional.of(new PythonCommand(-1, words.get(i), program(words, i + 1)));
      }
    }
    return Optional.empty();
  }

  private static Program program(List<String> words, int from) {
    for (int i = from; i < words.size(); i++) {
      String word = words.get(i);
      boolean last = i + 1 == words.size();
      if (word.equals("-m") && !last) {
        return new Program.Module(words.get(i + 1));
      }
      if (word.equals("-c") && !last) {
        return new Program.Code(words.get(i + 1));
      }
      if (word.equals("-X") || word.equals("-W")) {
        i++; // Its value is the next word.
      } else if (!word.startsWith("-")) {
        return new Program.Script(word);
      }
    }
    return new Program.Unknown();
  }

  /// The file that is run, where it is one below `folder` or at a whole path.
  public Optional<Path> file(Path folder) {
    return switch (program) {
      case Program.Script(String file) -> Optional.of(folder.resolve(file));
      case Program.Module(String name) -> Imports.moduleFile(folder, name);
      case Program.Code(_), Program.Unknown() -> Optional.empty();
    };
  }
}

package dev.pliant.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Makes the arguments of `pliant run` fit to be read: options may be spelt with underscores, as
/// torchrun's are, and what follows a script is the script's. A job file has no arguments, so
/// options may follow it.
final class RunArguments implements IParameterPreprocessor {
  @Override
  @SuppressWarnings("JdkObsolete") // picocli's signature
  public boolean preprocess(
      Stack<String> arguments,
      CommandSpec command,
      @Nullable ArgSpec argument,
      Map<String, Object> info) {
    List<String> words = new ArrayList<>(arguments.reversed());
    List<String> made = arranged(words, command);
    arguments.clear();
    arguments.addAll(made.reversed());
    return false; // picocli goes on with them.
  }

  static List<String> arranged(List<String> words, CommandSpec command) {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("--")) {
        made.addAll(words.subList(i, words.size()));
        return made;
      }
      if (!word.startsWith("-") || word.equals("-")) {
        if (!isJobFile(word)) {
          made.add("--");
          made.addAll(words.subList(i, words.size()));
          return made;
        }
        made.add(word);
        continue;
      }
      String spelt = withDashes(word, command);
      made.add(spelt);
      OptionSpec option = command.findOption(spelt);
      if (option != null && option.arity().min() > 0 && i + 1 < words.size()) {
        made.add(words.get(++i));
      }
    }
    return made;
  }

  static boolean isJobFile(String word) {
    return word.endsWith(".yaml") || word.endsWith(".yml");
  }

  /// `--max_restarts=3` as `--max-restarts=3`, where there is such an option.
  private static String withDashes(String word, CommandSpec command) {
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    String dashed = name.replace('_', '-');
    return command.findOption(dashed) == null ? word : dashed + word.substring(name.length());
  }
}

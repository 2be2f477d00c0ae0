package dev.pliant.cli;

import java.util.List;

/// Teaches picocli's completion script the names of jobs. It only knows words that are fixed when
/// it is made; names are asked for when they are wanted, of the place that the line so far chooses.
final class JobNameCompletion {
  /// The commands that take a job.
  static final List<String> COMMANDS =
      List.of("get", "describe", "logs", "events", "scale", "stop", "delete", "verify", "replay");

  /// In picocli's function of a command: what there is to choose from where no option is completed.
  private static final String NO_WORDS = "local positionals=\"\"";

  private static final String WORDS = "local positionals=\"$(_pliant_job_names)\"";

  /// A word after an option may be cut at its '=' (bash) or not (zsh).
  private static final String NAMES =
      """
      # Prints a word as the shell hands it on: without its quotes, a ~ before it as the home.
      function _pliant_word() {
        local word=${1//[\\"\\']/}
        word=${word//\\\\/}
        case ${word} in
          '~'|'~/'*) word=${HOME}${word#?} ;;
        esac
        printf '%s' "${word}"
      }

      # Prints the names of the jobs at the place that the line so far chooses.
      function _pliant_job_names() {
        local where=() i word next
        for (( i = 1; i < COMP_CWORD; i++ )); do
          word=${COMP_WORDS[i]}
          case ${word} in
            '--on'|'-n'|'--namespace'|'--kubeconfig'|'--context')
              next=${COMP_WORDS[i+1]}
              if [ "${next}" = "=" ]; then next=${COMP_WORDS[i+2]}; fi
              where+=("${word}" "$(_pliant_word "${next}")")
              ;;
            '--on='*|'--namespace='*|'--kubeconfig='*|'--context='*)
              where+=("$(_pliant_word "${word}")")
              ;;
          esac
        done
        "$(_pliant_word "${COMP_WORDS[0]}")" get jobs -o name "${where[@]}" 2>/dev/null
      }

      """;

  private JobNameCompletion() {}

  /// @param script picocli's
  static String in(String script) {
    String taught = script;
    for (String command : COMMANDS) {
      taught = teach(taught, command);
    }
    int end = taught.lastIndexOf("# Define a completion specification");
    return taught.substring(0, end) + NAMES + taught.substring(end);
  }

  private static String teach(String script, String command) {
    int function = script.indexOf("function _picocli_pliant_" + command + "() {");
    int end = script.indexOf("\n}\n", function);
    int words = script.indexOf(NO_WORDS, function);
    if (function < 0 || words < 0 || words > end) {
      throw new IllegalStateException("picocli's script completes '" + command + "' otherwise");
    }
    return script.substring(0, words) + WORDS + script.substring(words + NO_WORDS.length());
  }
}

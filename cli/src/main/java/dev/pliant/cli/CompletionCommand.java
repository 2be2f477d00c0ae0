package dev.pliant.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant completion`.
@Command(
    name = "completion",
    description = "Print a script by which a shell completes commands, options and names of jobs.",
    footer = {
      "",
      "Examples:",
      "  In this shell, until it ends:",
      "    $ source <(pliant completion bash)",
      "  In every bash:",
      "    $ pliant completion bash > ~/.local/share/bash-completion/completions/pliant",
      "  In every zsh:",
      "    $ echo 'source <(pliant completion zsh)' >> ~/.zshrc",
    })
final class CompletionCommand implements Callable<Integer> {
  /// The names are what users write.
  enum Shell {
    bash,
    zsh
  }

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
  Shell shell = Shell.bash;

  @Override
  public Integer call() {
    // One script serves both: in zsh it turns bash's completion on by itself.
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        JobNameCompletion.in(
            AutoComplete.bash("pliant", PliantCommand.commandLine(Terminal.PLAIN))));
    out.flush();
    return 0;
  }
}

package dev.pliant.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `pliant version`.
@Command(
    name = "version",
    description = "Print the versions of Pliant and of the Java it runs on.",
    footer = {
      "",
      "Examples:",
      "  $ pliant version",
      "  $ pliant version -o json",
    })
final class VersionCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    switch (output) {
      case text -> {
        out.println("pliant " + version());
        out.println("java   " + Runtime.version());
      }
      case json ->
          out.println(
              Json.object(json -> {
                json.writeStringField("version", version());
                json.writeStringField("java", Runtime.version().toString());
              }));
    }
    out.flush();
    return 0;
  }

  /// The version this was built as.
  static String version() {
    Properties properties = new Properties();
    try (InputStream in = VersionCommand.class.getResourceAsStream("version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version", "unknown");
  }

  /// For `pliant --version`.
  static final class Provider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"pliant " + version()};
    }
  }
}

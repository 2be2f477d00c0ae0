package dev.pliant.cli.python;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a program imports, by its text and the text of its own modules, without running any of it.
///
/// @param torch whether it imports PyTorch
/// @param pliant whether it imports Pliant's package
/// @param elastic whether it uses Pliant's elastic loop, which forms worlds by itself
public record Imports(boolean torch, boolean pliant, boolean elastic) {
  public static final Imports NONE = new Imports(false, false, false);

  private static final int MAX_FILES = 200;
  private static final int MAX_BYTES = 1 << 20;
  private static final Pattern IMPORT =
      Pattern.compile(
          "^[ \\t]*(?:import[ \\t]+(?<modules>[^#\\n;]+)"
              + "|from[ \\t]+(?<from>[.\\w]+)[ \\t]+import[ \\t]+(?<names>[^#\\n;]+))",
          Pattern.MULTILINE);
  private static final Pattern ELASTIC = Pattern.compile("\\bElastic\\b");

  /// What the program of `command` imports when it runs in `folder`.
  public static Imports of(PythonCommand command, Path folder) {
    Set<Path> seen = new LinkedHashSet<>();
    Deque<Path> files = new ArrayDeque<>();
    command.file(folder).ifPresent(files::add);
    Imports found =
        command.program() instanceof PythonCommand.Program.Code(String text)
            ? scan(text, folder, files)
            : NONE;
    while (!files.isEmpty() && seen.size() < MAX_FILES) {
      Path file = files.removeFirst();
      if (seen.add(file)) {
        Path beside = file.toAbsolutePath().resolveSibling("");
        found = found.and(scan(read(file), beside, files));
      }
    }
    return found;
  }

  /// What `text` imports itself; the files of its own modules are added to `more`.
  private static Imports scan(String text, Path beside, Deque<Path> more) {
    boolean torch = false;
    boolean pliant = false;
    Matcher matcher = IMPORT.matcher(text);
    while (matcher.find()) {
      Set<String> modules = new LinkedHashSet<>();
      if (matcher.group("modules") != null) {
        for (String module : matcher.group("modules").split(",")) {
          modules.add(firstWord(module));
        }
      } else {
        String from = matcher.group("from").replaceAll("^\\.+", "");
        modules.add(from);
        for (String name : matcher.group("names").replaceAll("[()\\\\]", "").split(",")) {
          modules.add(from.isEmpty() ? firstWord(name) : from + "." + firstWord(name));
        }
      }
      for (String module : modules) {
        torch |= within(module, "torch") || within(module, "pliant.torch");
        pliant |= within(module, "pliant");
        moduleFile(beside, module).ifPresent(more::add);
      }
    }
    return new Imports(torch, pliant, pliant && ELASTIC.matcher(text).find());
  }

  private Imports and(Imports other) {
    return new Imports(torch || other.torch, pliant || other.pliant, elastic || other.elastic);
  }

  private static String firstWord(String text) {
    return text.strip().split("\\s+", 2)[0];
  }

  private static boolean within(String module, String whole) {
    return module.equals(whole) || module.startsWith(whole + ".");
  }

  /// The file of a module below `folder`, if it is there.
  static Optional<Path> moduleFile(Path folder, String module) {
    if (!module.matches("\\w+(\\.\\w+)*")) {
      return Optional.empty();
    }
    Path base = folder.resolve(module.replace('.', '/'));
    for (Path file :
        new Path[] {
          base.resolveSibling(base.getFileName() + ".py"),
          base.resolve("__main__.py"),
          base.resolve("__init__.py")
        }) {
      if (Files.isRegularFile(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  private static String read(Path file) {
    try (var in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return ""; // What cannot be read imports nothing that is known.
    }
  }
}
